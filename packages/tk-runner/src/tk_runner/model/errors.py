"""What can be wrong with a model's settings; each error is also the built-in that callers catch.

``AssertionError`` is among the bases because code that was written for
MMEngine catches it.
"""

from __future__ import annotations

from ..errors import InvalidSettingsError, RunnerError


class ModelSettingsError(InvalidSettingsError, AssertionError):
    """A value that a model, an initializer or an average cannot work with."""


class ModelTypeError(RunnerError, TypeError, AssertionError):
    """A value of a kind that does not belong here."""


class InitializationError(RunnerError, RuntimeError, AssertionError):
    """Weights that cannot be initialised as they were asked to be."""


class AverageMismatchError(RunnerError, ValueError):
    """An average and a model that do not have the same weights."""
