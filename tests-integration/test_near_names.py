"""The two lowest packages that suggest names know nobody, so each has the same small module."""

from __future__ import annotations

from pathlib import Path

PACKAGES = Path(__file__).parents[1] / "packages"


def test_the_two_copies_are_equal() -> None:
    registry = PACKAGES / "tk-registry/src/tk_registry/near_names.py"
    fileio = PACKAGES / "tk-fileio/src/tk_fileio/near_names.py"

    assert registry.read_text() == fileio.read_text()


def test_nobody_else_compares_names() -> None:
    users = {
        path.relative_to(PACKAGES).parts[0]
        for path in PACKAGES.glob("*/src/**/*.py")
        if "get_close_matches" in path.read_text()
    }

    assert users <= {"tk-registry", "tk-fileio", "tk-config"}
