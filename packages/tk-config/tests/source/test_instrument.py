from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigSyntaxError,
    DuplicateKeyError,
)


@pytest.mark.parametrize(
    ("suffix", "text", "line"),
    [
        ("py", "a = 1\nb = (\n", 2),
        ("py", "a = {{$X:1}}\nb = = 2\n", 2),
        ("json", '{"a": 1,\n "b": }', 2),
        ("yaml", "a: 1\nb: [1\nc: 2", 3),
        ("toml", "a = 1\nb = \n", 2),
    ],
)
def test_a_syntax_error_names_the_real_file_and_line(
    tmp_path: Path, suffix: str, text: str, line: int
) -> None:
    path = tmp_path / f"bad.{suffix}"
    path.write_text(text)

    with pytest.raises(ConfigSyntaxError, match=rf"bad\.{suffix}:{line}:(\d+:)? "):
        Config.fromfile(path)


def test_a_syntax_error_in_a_base_names_the_base(write: Any) -> None:
    write(base_py="x = (")
    with pytest.raises(SyntaxError, match=r"base\.py:1: "):
        Config.fromfile(write(child_py="_base_ = './base.py'\n"))


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "as data"])
@pytest.mark.parametrize("call", ["dict(a=1,\n  b=2,\n  a=3)", "[dict(a=1,\n  b=2,\n  a=f'{3}')]"])
def test_a_key_that_dict_is_given_twice_names_both_lines(
    write: Any, call: str, trusted: bool
) -> None:
    with pytest.raises(DuplicateKeyError, match=r"a\.py:3: the key 'a' .*first in line 1"):
        Config.fromfile(write(a_py=f"x = {call}\n"), trusted=trusted)
