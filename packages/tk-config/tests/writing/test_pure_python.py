from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from tk_config import Config, ConfigParsingError
from tk_config.reading.source_file import Rules
from tk_config.writing.pure_python import pure_python

BASE = "a = dict(b=[1, 2], c=3)\n"


def test_paths_in_templates_become_names_and_keys(write: Any) -> None:
    write(base_py=BASE)
    old = write(old_py="_base_ = './base.py'\nx = {{_base_.a.b.1}}\ny = 'n{{_base_.a.c}}'\n")
    new = old.parent / "new.py"
    new.write_text(pure_python(old, new, Rules()))

    assert "x = a.b[1]\n" in new.read_text()
    assert (
        Config.fromfile(new)
        == Config.fromfile(old)
        == {"a": {"b": [1, 2], "c": 3}, "x": 2, "y": "n3"}
    )


@pytest.mark.parametrize("path", ["open(chr(80))", "__import__('os')", "a.__class__", "a;b"])
def test_a_template_is_never_written_as_a_call(write: Any, path: str) -> None:
    write(base_py=BASE)
    old = write(old_py=f'_base_ = "./base.py"\nx = "{{{{_base_.{path}}}}}"\n')

    try:
        text = pure_python(old, old.parent / "new.py", Rules())
    except ConfigParsingError:
        return
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    assert {ast.unparse(call.func) for call in calls} <= {"read_base", "str"}


def test_bases_are_read_by_the_rules_that_are_given(write: Any) -> None:
    write(base_py="import os\nos.environ['TKC_RAN'] = '1'\n")
    old = write(old_py="_base_ = './base.py'\nx = 2\n")

    with pytest.raises(ConfigParsingError, match=r"base\.py:2"):
        pure_python(old, Path("new.py"), Rules(trusted=False))
