"""``python -m tk_runner.compat script.py``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tk_runner.compat", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_a_script_runs_with_its_arguments_and_its_own_modules(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("from mmengine.config import Config\n")
    (tmp_path / "script.py").write_text(
        "import sys\nfrom beside import Config\n"
        "if __name__ == '__main__':\n    print(Config.__module__, sys.argv[1:])\n"
    )

    ended = run("script.py", "--a", "1", cwd=tmp_path)

    assert ended.stdout == "tk_config.config ['--a', '1']\n", ended.stderr


def test_a_module_runs_too(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text(
        "import mmengine, sys; print(mmengine.__version__, sys.argv[1])"
    )

    assert run("-m", "tool", "x", cwd=tmp_path).stdout == "0.10.7 x\n"


def test_a_wrong_call_says_how_to_call(tmp_path: Path) -> None:
    assert run(cwd=tmp_path).returncode == 2
    assert run("-m", cwd=tmp_path).returncode == 2
    missing = run("nothing.py", cwd=tmp_path)

    assert missing.returncode == 2
    assert "there is no file nothing.py; give a script" in missing.stderr


def test_the_status_of_the_script_comes_back(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import sys; sys.exit(7)")

    assert run("script.py", cwd=tmp_path).returncode == 7
