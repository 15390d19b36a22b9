from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tk_config import Config
from tk_config.commands.main import main


@pytest.mark.parametrize("target", ["new.py", "new.yaml", "new.json"])
def test_convert_writes_the_resolved_config(files: Path, target: str, output: Any) -> None:
    assert output("convert", "child.py", target) == f"child.py -> {target}\n"
    assert Config.fromfile(target) == Config.fromfile("child.py")


def test_convert_rewrites_the_old_dialect_and_keeps_the_bases(
    write: Any, files: Path, output: Any
) -> None:
    write(
        old_py="""
        # a comment that stays
        _base_ = ['./base.py']

        # another one
        optimizer = dict(_delete_=True, n={{_base_.steps}}, x=_base_.steps[0])
        w = 'dir/{{fileExtname}}'
        steps = [3]
        v = {{$TKC_N:5}}
        """
    )
    output("convert", "old.py", "new.py", "--keep-bases")
    text = Path("new.py").read_text()

    assert "from .base import *" in text
    assert "# another one" in text
    assert "optimizer.merge(" in text
    assert "_base_" not in text


def test_a_conversion_that_changes_a_value_says_so(write: Any, files: Path, capsys: Any) -> None:
    write(old_py="_base_ = './base.py'\noptimizer = dict(lr=9)\nx = _base_.optimizer.lr\n")

    assert main(["convert", "old.py", "new.py", "--keep-bases"]) == 1
    assert "x is 9 there, but 0.1 in the original" in capsys.readouterr().err


def test_converting_as_data_runs_no_code_and_writes_nothing_that_was_refused(
    write: Any, files: Path, capsys: Any
) -> None:
    write(base_py="open('PWNED', 'w')\nx = 1\n", evil_py="_base_ = './base.py'\nx = 2\n")

    for more in ([], ["--keep-bases"]):
        assert main(["convert", "evil.py", "out.py", "--data-only", *more]) == 2
    assert not Path("PWNED").exists()
    assert not Path("out.py").exists()
