"""Installed packages announce the modules that register: entry-point group ``tk.registry``.

The name of an entry is the scope that it registers (or a label), its value the
module to import. The group is read when a name is missed, never before, and a
module is imported once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from .errors import RegistrationImportError
from .libraries import import_library
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


# The entries that are not imported yet; None until the group was read.
_waiting: list[Announcement] | None = None


def _announcements() -> list[Announcement]:
    global _waiting
    if _waiting is None:
        from importlib.metadata import entry_points  # 20 ms, and only a miss needs it

        _waiting = sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
    return _waiting


def import_announced(
    scope: str, *, others: bool, failures: list[RegistrationImportError]
) -> Iterator[str]:
    """Import what is announced for ``scope``, then the others, yielding after each.

    An entry is for a scope if it is called so, or if its module lies in the package of
    that name. Between the two comes the library of that name, where that was asked for.
    A caller looks again after each and stops when it has found its name. What fails to
    import is added to ``failures`` and tried again at the next miss.
    """
    entries = list(_announcements())
    for entry in entries:
        if scope in _scopes_of(entry) and _import(entry, failures):
            yield entry.name
    if import_library(scope, failures):
        yield scope
    for entry in entries if others else []:
        if scope not in _scopes_of(entry) and _import(entry, failures):
            yield entry.name


def _import(entry: Announcement, failures: list[RegistrationImportError]) -> bool:
    try:
        entry.load()
    except Exception as error:
        failure = RegistrationImportError(
            f"the module {entry.value!r}, which an installed package announces as "
            f"{entry.name!r} in {GROUP!r}, failed to import: {type(error).__name__}: {error}; "
            "repair or uninstall that package",
            scopes=_scopes_of(entry),
        )
        failure.__cause__ = error
        failures.append(failure)
        return False
    try:
        _announcements().remove(entry)
    except ValueError:
        pass  # another thread was first
    return True


def _scopes_of(entry: Announcement) -> tuple[str, str]:
    return canonical(entry.name), entry.value.partition(":")[0].partition(".")[0]
