from __future__ import annotations

from typing import Any

import pytest

from tk_config import (
    Config,
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
