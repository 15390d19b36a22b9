"""What can be wrong with a field; each error is also the built-in that callers catch.

``AssertionError`` is among the bases because code that was written for
MMEngine catches it.
"""

from __future__ import annotations

from ..errors import RunnerError


class FieldNameError(RunnerError, AttributeError):
    """A name that this element cannot use for a field."""


class FieldTypeError(RunnerError, TypeError, AssertionError):
    """A value or an index of a kind that does not belong here."""


class FieldShapeError(RunnerError, ValueError, AssertionError):
    """A value whose length, shape or range does not fit the others."""
