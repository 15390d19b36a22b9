from __future__ import annotations

from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigParsingError,
)


def test_a_dict_that_holds_itself_is_an_error(write: Any) -> None:
    with pytest.raises(ConfigParsingError, match="holds itself"):
        Config.fromfile(write(a_py="a = dict()\na['a'] = a\n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(x):\n    return x\nm = dict(fn=f)\n", r"a\.py:3: .*'m\.fn' is the function f"),
        ("m = [1,\n  dict(fn=lambda x: x)]\n", r"a\.py:2: .*'m\.1\.fn' is the function <lambda>"),
        ("class C:\n    pass\nm = dict(type=C)\n", r"a\.py:3: .*'m\.type' is the class C"),
    ],
)
def test_a_function_or_class_of_the_config_itself_is_no_value(
    write: Any, text: str, said: str
) -> None:
    with pytest.raises(ConfigParsingError, match=said):
        Config.fromfile(write(a_py=text))


def test_a_function_of_a_base_is_no_value_either(write: Any) -> None:
    write(base_py="def f(x):\n    return x\n")
    head = "from tk_config import read_base\nwith read_base():\n    from .base import f\n"

    with pytest.raises(ConfigParsingError, match=r"child\.py:4: .*import path"):
        Config.fromfile(write(child_py=head + "m = dict(fn=f)\n"))


def test_an_importable_function_is_written_by_its_import_path(write: Any) -> None:
    cfg = Config.fromfile(
        write(a_py="import os.path\nm = dict(fn=os.path.join)\n"), lazy_import=False
    )

    assert cfg.pretty_text == "m = dict(fn='posixpath.join')\n"
