"""Operators of the data-only reader: each checks the size of its result before making it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from .budget import Budget, check_bits, check_format

_NUMBERS = (int, float, complex)
_SEQUENCES = (str, bytes, list, tuple)

_PLAIN: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, holder: item in holder,
    ast.NotIn: lambda item, holder: item not in holder,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}


def binary(kind: ast.operator, left: Any, right: Any, budget: Budget) -> Any:
    """Give ``left <operator> right``.

    Raises:
        OverBudgetError: the result would be too large.
        TypeError: the operator does not exist for these values.
    """
    if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
        _check_numbers(kind, left, right)
        return _PLAIN[type(kind)](left, right)
    if isinstance(kind, ast.Mult):
        items, count = (left, right) if isinstance(left, _SEQUENCES) else (right, left)
        if isinstance(items, _SEQUENCES) and isinstance(count, int) and count > 0:
            budget.spend(min(len(items) * count, 10**9))
            return budget.pay_for(items * count)
    elif isinstance(kind, ast.Mod) and isinstance(left, (str, bytes)):
        return _percent(left, right, budget)
    elif isinstance(kind, ast.BitOr) and isinstance(left, dict) and isinstance(right, dict):
        return budget.pay_for({**dict(dict.items(left)), **dict(dict.items(right))})
    elif not _is_data(left) or not _is_data(right):
        raise TypeError(f"no such operator for {type(left).__name__} and {type(right).__name__}")
    budget.pay_for(left)
    budget.pay_for(right)
    return _PLAIN[type(kind)](left, right)


def compare(kind: ast.cmpop, left: Any, right: Any, budget: Budget) -> Any:
    """Give ``left <comparison> right``, paying for both sides."""
    budget.pay_for(left)
    budget.pay_for(right)
    if isinstance(right, range):  # of which a text would be sought item by item
        budget.spend(min(len(right), 10**9))
    return _COMPARE[type(kind)](left, right)


def unary(kind: ast.unaryop, value: Any) -> Any:
    """Give ``<operator> value``."""
    if not isinstance(kind, ast.Not) and not isinstance(value, _NUMBERS):
        raise TypeError(f"no such operator for {type(value).__name__}")
    return _UNARY[type(kind)](value)


def _check_numbers(kind: ast.operator, left: Any, right: Any) -> None:
    if not (isinstance(left, int) and isinstance(right, int)):
        return
    if isinstance(kind, ast.Pow) and right > 0:
        check_bits(left.bit_length() * right if abs(left) > 1 else 1)
    elif isinstance(kind, ast.LShift) and right > 0:
        check_bits(left.bit_length() + right)
    elif isinstance(kind, ast.Mult):
        check_bits(left.bit_length() + right.bit_length())
    elif isinstance(kind, (ast.Add, ast.Sub)):
        check_bits(max(left.bit_length(), right.bit_length()) + 1)


def _percent(text: str | bytes, values: Any, budget: Budget) -> Any:
    check_format(text if isinstance(text, str) else text.decode("latin-1"))
    fields = text.count("%") if isinstance(text, str) else text.count(b"%")
    budget.spend(fields * (1000 + budget.cost_of(values)))  # each field may write all of them
    return budget.pay_for(text % values)


def _is_data(value: Any) -> bool:
    return isinstance(value, (str, bytes, list, tuple, set, frozenset, *_NUMBERS))
