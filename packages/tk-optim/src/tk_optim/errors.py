"""The errors of tk_optim: one base, and each is also the built-in that callers catch.

Where MMEngine asserted, the error is an ``AssertionError`` too, so that code
written for it still catches what it caught.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator


class OptimError(Exception):
    """Base of every error that tk_optim raises on purpose."""


class InvalidSettingError(OptimError, ValueError, AssertionError):
    """A setting of the right type whose value cannot work."""


class InvalidTypeError(OptimError, TypeError, AssertionError):
    """A setting, or an object handed in, of a type that cannot work."""


class UnknownKeyError(OptimError, KeyError, AssertionError):
    """A name that the optimizer, the wrapper or the metrics do not hold."""

    def __str__(self) -> str:  # KeyError would show the repr of the text
        return str(self.args[0])


class UnsupportedCallError(OptimError, NotImplementedError, AttributeError):
    """A call that several wrappers cannot answer together."""


class MissingExtraError(OptimError, ImportError):
    """An optional package is needed here and is not installed."""


def refusals(
    argument: str, settings: Callable[..., object], *values: object
) -> Iterator[tuple[str, str]]:
    """What settings that check themselves refuse, as a relation of `tk_registry.value_rules`.

    Args:
        argument: the argument that is named as the place of the mistake.
        settings: makes the settings from the values, or raises an error of this package.
        *values: for ``settings``.
    """
    try:
        settings(*values)
    except OptimError as error:
        yield argument, str(error)
