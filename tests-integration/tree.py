"""The eight packages of this repository as data."""

from __future__ import annotations

import re
import sys
from functools import cached_property
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]

# From the bottom up; a package imports from the rows below its own, never sideways.
ROWS = [
    ["tk-registry", "tk-fileio", "tk-dist"],
    ["tk-config", "tk-logging"],
    ["tk-optim", "tk-evaluator"],
    ["tk-runner"],
]
TORCH_FREE = {"tk-registry", "tk-fileio", "tk-config", "tk-logging"}


class Package:
    """One distribution: its folder, its metadata, its modules."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.module = name.replace("-", "_")
        self.folder = ROOT / "packages" / name
        self.source = self.folder / "src" / self.module

    def __repr__(self) -> str:
        return self.name

    @cached_property
    def project(self) -> dict[str, Any]:
        text = (self.folder / "pyproject.toml").read_text(encoding="utf-8")
        return tomllib.loads(text)["project"]

    @property
    def version(self) -> str:
        return str(self.project["version"])

    @property
    def dependencies(self) -> list[str]:
        return list(self.project.get("dependencies", []))

    @property
    def optional(self) -> list[str]:
        extras = self.project.get("optional-dependencies", {})
        return [line for lines in extras.values() for line in lines]

    def files(self) -> list[Path]:
        return sorted(self.source.rglob("*.py"))


PACKAGES = [Package(name) for row in ROWS for name in row]
ROW_OF = {name.replace("-", "_"): index for index, row in enumerate(ROWS) for name in row}


def distribution_name(requirement: str) -> str:
    """``"PyYAML>=6; ..."`` gives ``"pyyaml"``."""
    match = re.match(r"[\w.-]+", requirement)
    assert match, f"not a requirement: {requirement!r}"
    return match[0].lower().replace("_", "-")
