from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tk_config.commands.main import main


def test_check_finds_all_problems_at_once(write: Any, files: Path, capsys: Any) -> None:
    write(bad_py="_base_ = './base.py'\noptimzer = dict(lr=1)\nstep = [3]\n")
    write(old_py="_deprecation_ = dict(expected='new.py')\n")
    write(syntax_py="a = (\n")
    write(code_py="a = 1 / 0\n")

    assert main(["check", "child.py", "bad.py", "old.py", "syntax.py", "code.py"]) == 2
    text = capsys.readouterr().out
    assert "child.py: ok" in text
    assert "bad.py: 2 problem(s)" in text
    assert "did you mean 'optimizer'" in text
    assert "did you mean 'steps'" in text
    assert "deprecated: the config old.py is deprecated; use new.py" in text
    assert "error: syntax.py:1" in text
    assert "ZeroDivisionError" in text
    assert main(["check", "child.py", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
