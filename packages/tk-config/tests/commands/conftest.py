"""What the tests of the subcommands share: two files, and what a subcommand prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tk_config.commands.main import main


@pytest.fixture
def files(write: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base and its heir in the current folder."""
    write(base_py="optimizer = dict(type='SGD', lr=0.1)\nsteps = [1, 2]\n")
    path: Path = write(child_py="_base_ = './base.py'\noptimizer = dict(lr=0.2)\n")
    monkeypatch.chdir(path.parent)
    return path


@pytest.fixture
def output(capsys: Any) -> Callable[..., str]:
    """Run a subcommand that succeeds, and give what it prints."""

    def run(*argv: str) -> str:
        assert main(argv) == 0
        text: str = capsys.readouterr().out
        return text

    return run
