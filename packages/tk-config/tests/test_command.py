from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tk_config import Config
from tk_config.commands.main import main


@pytest.fixture
def files(write: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base and its heir in the current folder."""
    write(base_py="optimizer = dict(type='SGD', lr=0.1)\nsteps = [1, 2]\n")
    path: Path = write(child_py="_base_ = './base.py'\noptimizer = dict(lr=0.2)\n")
    monkeypatch.chdir(path.parent)
    return path


def out(capsys: Any, *argv: str) -> str:
    assert main(argv) == 0
    text: str = capsys.readouterr().out
    return text


def test_show_prints_the_resolved_config_in_any_format(files: Path, capsys: Any) -> None:
    assert (
        out(capsys, "show", "child.py") == "optimizer = dict(lr=0.2, type='SGD')\nsteps = [1, 2]\n"
    )
    assert "lr: 0.2" in out(capsys, "show", "child.py", "--format", "yaml")
    assert json.loads(out(capsys, "show", "child.py", "--json"))["steps"] == [1, 2]
    assert out(capsys, "show", "child.py", "optimizer.lr") == "0.2\n"
    assert out(capsys, "show", "child.py", "optimizer") == "lr = 0.2\ntype = 'SGD'\n"


def test_why_prints_every_step_with_its_source_line(files: Path, capsys: Any) -> None:
    text = out(capsys, "why", "child.py", "optimizer.lr", "--cfg-options", "optimizer.lr=0.3")

    assert text.splitlines() == [
        "optimizer.lr = 0.3",
        "  set by command line (optimizer.lr=0.3)",
        "  replacing child.py:2    optimizer = dict(lr=0.2)",
        "  replacing base.py:1    optimizer = dict(type='SGD', lr=0.1)",
    ]


def test_modules_beside_the_command_can_be_imported(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    Path("parts_of_this_test.py").write_text("")
    Path("own.py").write_text("custom_imports = dict(imports=['parts_of_this_test'])\nx = 1\n")
    monkeypatch.setattr(sys, "path", [*sys.path])

    shown = out(capsys, "show", "own.py", "x")

    assert shown == "1\n"
    assert sys.modules.pop("parts_of_this_test")


def test_reading_as_data_leaves_the_import_path(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])

    out(capsys, "show", "child.py", "--data-only")

    assert str(Path.cwd()) not in sys.path


def test_a_wrong_value_of_an_option_is_not_answered_with_an_option(
    files: Path, capsys: Any
) -> None:
    with pytest.raises(SystemExit):
        main(["show", "child.py", "--format", "toml"])

    assert "did you mean" not in capsys.readouterr().err


def test_a_warning_is_one_line_about_the_config(files: Path) -> None:
    Path("slip.py").write_text("_base_ = './base.py'\noptimzer = dict()\n")

    run = [sys.executable, "-m", "tk_config", "show", "slip.py"]
    done = subprocess.run(run, capture_output=True, text=True, check=True)

    assert done.stderr.startswith("tk-config: warning: slip.py:2: 'optimzer'")
    assert done.stderr.count("\n") == 1


def test_why_as_json(files: Path, capsys: Any) -> None:
    found = json.loads(out(capsys, "why", "child.py", "steps.1", "--json"))

    assert found["value"] == 2
    assert found["origins"][0]["text"] == "base.py:2"


def test_diff_lists_changes_with_their_places(files: Path, capsys: Any) -> None:
    assert (
        out(capsys, "diff", "base.py", "child.py") == "~ optimizer.lr: 0.1 -> 0.2    (child.py:2)\n"
    )
    found = json.loads(out(capsys, "diff", "base.py", "child.py", "--json"))
    assert found[0]["old_origin"] == "base.py:1"
    assert out(capsys, "diff", "base.py", "base.py") == "the configs are equal\n"


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


@pytest.mark.parametrize("target", ["new.py", "new.yaml", "new.json"])
def test_convert_writes_the_resolved_config(files: Path, capsys: Any, target: str) -> None:
    assert out(capsys, "convert", "child.py", target) == f"child.py -> {target}\n"
    assert Config.fromfile(target) == Config.fromfile("child.py")


def test_convert_rewrites_the_old_dialect_and_keeps_the_bases(
    write: Any, files: Path, capsys: Any
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
    out(capsys, "convert", "old.py", "new.py", "--keep-bases")
    text = Path("new.py").read_text()

    assert "from .base import *" in text
    assert "# another one" in text
    assert "optimizer.merge(" in text
    assert "_base_" not in text


def test_a_conversion_that_changes_a_value_says_so(write: Any, files: Path, capsys: Any) -> None:
    write(old_py="_base_ = './base.py'\noptimizer = dict(lr=9)\nx = _base_.optimizer.lr\n")

    assert main(["convert", "old.py", "new.py", "--keep-bases"]) == 1
    assert "x is 9 there, but 0.1 in the original" in capsys.readouterr().err


def test_data_only_runs_no_code(write: Any, files: Path, capsys: Any) -> None:
    write(evil_py="import os\nos.environ['TKC_EVIL'] = '1'\nx = os.getcwd()\n")

    assert main(["show", "evil.py", "--data-only"]) == 2
    assert "evil.py:2" in capsys.readouterr().err
    assert "TKC_EVIL" not in os.environ


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["shwo", "child.py"], "did you mean 'show'"),
        (["show", "child.py", "--jsn"], "did you mean '--json'"),
        (["show", "child.py", "--form", "py"], "unrecognized arguments"),
        ([], "required"),
    ],
)
def test_bad_usage_exits_with_2_and_a_hint(
    files: Path, capsys: Any, argv: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(argv)

    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["show", "nothing.py"], "does not exist"),
        (["why", "child.py", "optimizer.lrr"], "did you mean 'lr'"),
        (["convert", "child.py", "x.toml"], "TOML is only read"),
        (["convert", "child.py", "x.yaml", "--keep-bases"], "ends in .py"),
    ],
)
def test_a_bad_config_exits_with_2_and_one_line(
    files: Path, capsys: Any, argv: list[str], said: str
) -> None:
    assert main(argv) == 2
    assert said in capsys.readouterr().err


def test_help_is_fast_and_loads_nothing_heavy() -> None:
    code = (
        "import sys, time; start = time.process_time()\n"
        "from tk_config.commands.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'yaml', 'numpy', 'rich', 'torch', 'tk_fileio', 'tomllib'} & set(sys.modules)\n"
        "print(heavy or 'nothing heavy')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "convert" in done.stdout
    assert "nothing heavy" in done.stdout


def test_the_module_runs_as_a_program(files: Path) -> None:
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "tk_config", "show", "child.py", "steps"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "[1, 2]\n"
    assert time.monotonic() - start < 30
