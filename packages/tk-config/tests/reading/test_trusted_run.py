from __future__ import annotations

from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigParsingError,
    ConfigSyntaxError,
)


def test_any_python_may_run_in_a_trusted_file(write: Any) -> None:
    path = write(
        a_py="""
        with open(__file__) as f:
            length = len(f.read())
        try:
            x = 1 / 0
        except ZeroDivisionError:
            x = 5
        while x < 7:
            x += 1
        if x == 7:
            y = {i: dict(v=i) for i in range(2)}
        """
    )

    cfg = Config.fromfile(path)

    assert cfg.x == 7
    assert cfg.y[1].v == 1


def test_an_error_of_the_code_keeps_its_type_and_its_line(write: Any) -> None:
    path = write(a_py="a = 1\nb = a.nothing\n")

    with pytest.raises(AttributeError) as caught:
        Config.fromfile(path)

    assert (str(path), 2) in [
        (entry.path.__str__(), entry.lineno + 1) for entry in caught.traceback
    ]


def test_assigning_into_a_dict_just_made_loads(write: Any) -> None:
    assert Config.fromfile(write(a_py="a = dict()\na['k'] = 1\n")) == {"a": {"k": 1}}


@pytest.mark.parametrize(
    "call", ["import sys\nsys.exit(0)", "import os\nraise SystemExit", "x = 1\nexit(3)"]
)
def test_a_config_does_not_end_the_program(write: Any, call: str) -> None:
    with pytest.raises(ConfigParsingError, match=r"a\.py:2: .*ends the program"):
        Config.fromfile(write(a_py=f"{call}\n"))


def test_what_only_the_compiler_refuses_is_a_syntax_error_with_its_line(write: Any) -> None:
    with pytest.raises(ConfigSyntaxError, match=r"a\.py:2: 'return' outside function"):
        Config.fromfile(write(a_py="a = 1\nreturn 5\n"))
