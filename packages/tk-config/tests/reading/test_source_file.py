from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tk_config import Config, UnsafeConfigError


def read(text: str) -> Config:
    return Config.fromstring(text, ".py")


def test_a_text_or_file_that_is_too_long_is_refused(tmp_path: Path) -> None:
    text = "x = 1\n" * 200_000
    path = tmp_path / "a.py"
    path.write_text(text)

    with pytest.raises(UnsafeConfigError, match="too long"):
        read(text)
    with pytest.raises(UnsafeConfigError, match="too long"):
        Config.fromfile(path, trusted=False)


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "base.py").unlink(missing_ok=True)
    os.mkfifo(tmp_path / "base.py")
    path = tmp_path / "child.py"
    path.write_text("_base_ = './base.py'\n")

    with pytest.raises(FileNotFoundError, match=r"base\.py"):
        Config.fromfile(path, trusted=False)


def test_files_are_utf8_whatever_the_locale(write: Any, tmp_path: Path) -> None:
    path = write(a_py="a = '汉字 é'\n", )  # fmt: skip
    code = (
        "import sys; from tk_config import Config\n"
        "cfg = Config.fromfile(sys.argv[1]); cfg.dump(sys.argv[2])\n"
        "assert Config.fromfile(sys.argv[2]) == cfg\n"
    )
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for name in ("b.py", "b.yaml", "b.json"):
        subprocess.run([sys.executable, "-c", code, path, tmp_path / name], env=env, check=True)

        assert Config.fromfile(tmp_path / name).a == "汉字 é"
