"""The errors of tk_evaluator: one base, and each is also the built-in that callers catch."""

from __future__ import annotations

from typing import Any


class EvaluatorError(Exception):
    """Base of every error that tk_evaluator raises on purpose."""


class MetricError(EvaluatorError, RuntimeError):
    """A metric raised; the text names the metric and, where known, the sample.

    Where the original error is of a built-in type the error raised is of that
    type as well, on every rank.
    """


class ResultNameError(EvaluatorError, ValueError):
    """A result name that is missing, ambiguous, or given by two metrics."""


class FieldError(EvaluatorError, KeyError):
    """A value that a metric needs and that a sample does not hold."""

    def __str__(self) -> str:  # KeyError would show the repr of the text
        return str(self.args[0])


class SettingsError(EvaluatorError, ValueError):
    """An argument that no metric or evaluator can work with."""


class NotAMetricError(EvaluatorError, TypeError):
    """An object given as a metric that is none."""


class LengthMismatchError(EvaluatorError, ValueError, AssertionError):
    """Predictions and data of different lengths."""


def like(kind: type[BaseException], text: str) -> MetricError:
    """A `MetricError` with ``text`` that is caught as ``kind``, a built-in type, too."""
    if issubclass(MetricError, kind):
        return MetricError(text)
    members = {"__str__": _text_of, "__reduce__": _as_plain}
    both: type[MetricError] = type(MetricError.__name__, (MetricError, kind), members)
    try:
        return both(text)
    except TypeError:  # an ExceptionGroup is not made from a text
        return MetricError(text)


def builtin_type(error: BaseException) -> type[BaseException]:
    """The nearest class of ``error`` that Python itself brings."""
    return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")


def _text_of(error: BaseException) -> str:
    return str(error.args[0])


def _as_plain(error: BaseException) -> tuple[Any, ...]:
    """Pickle as a `MetricError`: the class made on the fly has no address."""
    return MetricError, (str(error.args[0]),)
