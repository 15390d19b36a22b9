"""What the tests of this package share: writing a folder of config files."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

WriteFiles = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> WriteFiles:
    """Write files by name under a fresh folder; gives the path of the last one."""

    def write_files(**files: str) -> Path:
        path = tmp_path
        for name, text in files.items():
            path = tmp_path / _file_name(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    return write_files


def _file_name(name: str) -> str:
    """``sub__base_py`` is ``sub/base.py``."""
    stem, _, suffix = name.replace("__", "/").rpartition("_")
    return f"{stem}.{suffix}"
