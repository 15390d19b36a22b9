"""Metrics and evaluators, exact over any number of ranks."""

from .errors import EvaluatorError

__all__ = ["EvaluatorError"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # slow, and seldom asked

        return version("tk-evaluator")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
