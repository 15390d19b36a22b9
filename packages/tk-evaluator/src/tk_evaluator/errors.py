"""The errors of tk_evaluator: one base, and each is also the built-in that callers catch."""

from __future__ import annotations


class EvaluatorError(Exception):
    """Base of every error that tk_evaluator raises on purpose."""
