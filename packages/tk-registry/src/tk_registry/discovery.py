"""Installed packages announce the modules that register: entry-point group ``tk.registry``.

The name of an entry is the scope that it registers (or a label), its value the
module to import. The group is read when a name is missed, never before, and a
module is imported once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from .errors import RegistrationImportError
from .scope import canonical

GROUP = "tk.registry"


class Announcement(Protocol):
    """What is used of an `importlib.metadata.EntryPoint`."""

    @property
    def name(self) -> str:
        """Scope or label."""

    @property
    def value(self) -> str:
        """Module to import."""

    def load(self) -> object:
        """Import the module."""


# The entries that are not imported yet, and the packages of all; None until the group was read.
_waiting: list[Announcement] | None = None
_packages: frozenset[str] = frozenset()


def _announcements() -> list[Announcement]:
    global _waiting, _packages
    if _waiting is None:
        from importlib.metadata import entry_points  # 20 ms, and only a miss needs it

        entries = sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
        _packages = frozenset(entry.value.partition(":")[0].partition(".")[0] for entry in entries)
        _waiting = list(entries)
    return _waiting


def import_announced(
    scope: str, *, others: bool, failures: list[RegistrationImportError]
) -> Iterator[str]:
    """Import what is announced under ``scope``, then the others, yielding after each.

    A caller looks again after each and stops when it has found its name. What fails
    to import is added to ``failures`` and tried again at the next miss.
    """
    entries = list(_announcements())
    entries.sort(key=lambda entry: canonical(entry.name) != scope)  # stable: scope first
    for entry in entries:
        if not others and canonical(entry.name) != scope:
            return
        try:
            entry.load()
        except Exception as error:
            failure = RegistrationImportError(
                f"the module {entry.value!r}, which an installed package announces as "
                f"{entry.name!r} in {GROUP!r}, failed to import: {type(error).__name__}: {error}; "
                "repair or uninstall that package"
            )
            failure.__cause__ = error
            failures.append(failure)
            continue
        try:
            _announcements().remove(entry)
        except ValueError:
            pass  # another thread was first
        yield entry.name


def announced_packages() -> frozenset[str]:
    """Top-level packages of all announced modules, imported or not."""
    _announcements()
    return _packages
