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


FORMATS = ["py", "yaml", "json", "toml"]


# The same file in each format: bases, and one line for each key.
WITH_BASE = {
    "py": "_base_ = {bases}\n{key} = {value}\n",
    "yaml": "_base_: {bases}\n{key}: {value}\n",
    "json": '{{"_base_": {bases}, "{key}": {value}}}',
    "toml": "_base_ = {bases}\n{key} = {value}\n",
}


ALONE = {
    "py": "{key} = {value}\n",
    "yaml": "{key}: {value}\n",
    "json": '{{"{key}": {value}}}',
    "toml": "{key} = {value}\n",
}


DICTS = {
    "py": "dict({})",
    "yaml": "{{{}}}",
    "json": "{{{}}}",
    "toml": "{{{}}}",
}


PAIRS = {"py": "{}={}", "yaml": "{}: {}", "json": '"{}": {}', "toml": "{}={}"}


class Folder:
    """Writes small configs of one format."""

    def __init__(self, path: Path, suffix: str) -> None:
        self.path = path
        self.suffix = suffix

    def write(self, name: str, key: str, value: str, bases: str | None = None) -> Path:
        form = ALONE if bases is None else WITH_BASE
        target = self.path / f"{name}.{self.suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        text = form[self.suffix].format(key=key, value=value, bases=bases)
        target.write_text(text, encoding="utf-8")
        return target

    def dict(self, **values: str) -> str:
        pair = PAIRS[self.suffix]
        return DICTS[self.suffix].format(", ".join(pair.format(*item) for item in values.items()))

    @property
    def true(self) -> str:
        return "True" if self.suffix == "py" else "true"

    def base(self, name: str) -> str:
        return f'"./{name}.{self.suffix}"'


@pytest.fixture(params=FORMATS)
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Folder:
    """Write configs of each format in turn."""
    return Folder(tmp_path, request.param)


@pytest.fixture(params=FORMATS)
def other_folder(tmp_path: Path, request: pytest.FixtureRequest) -> Folder:
    """Write configs of each format in turn, whatever ``folder`` writes."""
    return Folder(tmp_path, request.param)
