"""What can go wrong where code for MMEngine runs on the tk packages."""

from __future__ import annotations

from ..errors import RunnerError


class CompatError(RunnerError):
    """Base of what goes wrong with code for MMEngine."""


class AlreadyImportedError(CompatError, ImportError):
    """The real MMEngine was imported before the hook was installed."""


class NotServedError(CompatError, AttributeError):
    """A name of MMEngine that has no counterpart was used; the text says what to do instead."""
