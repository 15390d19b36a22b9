from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tk_config.commands.main import main


def test_modules_beside_the_command_can_be_imported(
    files: Path, monkeypatch: pytest.MonkeyPatch, output: Any
) -> None:
    Path("parts_of_this_test.py").write_text("")
    Path("own.py").write_text("custom_imports = dict(imports=['parts_of_this_test'])\nx = 1\n")
    monkeypatch.setattr(sys, "path", [*sys.path])

    shown = output("show", "own.py", "x")

    assert shown == "1\n"
    assert sys.modules.pop("parts_of_this_test")


def test_reading_as_data_leaves_the_import_path(
    files: Path, monkeypatch: pytest.MonkeyPatch, output: Any
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])

    output("show", "child.py", "--data-only")

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
    files: Path, argv: list[str], said: str, capsys: Any
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
    files: Path, argv: list[str], said: str, capsys: Any
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
    done = subprocess.run(
        [sys.executable, "-m", "tk_config", "show", "child.py", "steps"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "[1, 2]\n"


@pytest.mark.parametrize("command", [["show"], ["why"], ["check"], ["diff", "good.py"]])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys\nsys.exit(0)\n", "evil.py:2: the config ends the program"),
        ("a = 1\nb = [][5]\n", "evil.py:2"),
    ],
)
def test_an_error_of_the_configs_own_code_exits_with_2(
    write: Any, files: Path, capsys: Any, command: list[str], text: str, said: str
) -> None:
    write(good_py="a = 1\n", evil_py=text)
    argv = [*command, "evil.py", *(["a"] if command == ["why"] else [])]

    assert main(argv) == 2
    printed = capsys.readouterr()
    assert said in printed.err + printed.out


@pytest.mark.parametrize(("name", "said"), [("folder", "is a folder"), ("noending", "no ending")])
def test_a_folder_or_a_file_without_ending_is_refused_with_one_error(
    files: Path, capsys: Any, name: str, said: str
) -> None:
    Path("folder").mkdir()
    Path("noending").write_text("a = 1\n")

    assert main(["show", name]) == 2
    assert said in capsys.readouterr().err
