"""Evaluating a config on its syntax tree, without ``exec``, ``eval`` or any import.

Statements stand here, what they are made of in ``expressions.py``. What the syntax
may be is settled by ``screen.py``, what it may cost by ``budget.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..errors import ConfigError, ConfigParsingError
from ..tree.placeholders import DottedName, LazyObject
from .budget import OverBudgetError
from .expressions import Expressions
from .functions import CONSTANTS, items_of
from .operators import binary
from .screen import refusal

_WRONG = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)


class DataRun(Expressions):
    """The names of one file while it is evaluated; its arguments are those of `Expressions`."""

    def run(self, statements: list[ast.stmt]) -> None:
        """Evaluate statements, one after the other, among the names so far.

        Raises:
            UnsafeConfigError: something is refused; names file, line and reason.
            ConfigParsingError: something is wrong, as a name that is not bound.
        """
        for statement in statements:
            self._guarded(self._statement, statement)

    def value(self, expression: ast.expr) -> Any:
        """Give the value of one expression."""
        return self._guarded(self._value, expression)

    def bind_import(self, name: str, placeholder: LazyObject) -> None:
        """Bind a name to the dotted name of what an import would give."""
        self.names[name] = DottedName(placeholder.dotted_name)

    def check(self, tree: Any) -> None:
        """Refuse a result that is larger than what was paid for, by sharing and changing parts."""
        self._guarded(self._budget.pay_for, tree)

    def _guarded(self, work: Callable[[Any], Any], node: Any) -> Any:
        self._line = getattr(node, "lineno", self._line)
        try:
            return work(node)
        except ConfigError:
            raise
        except OverBudgetError as error:
            raise refusal(self._shown, self._line, str(error)) from None
        except _WRONG as error:
            raise ConfigParsingError(
                f"{self._shown}:{self._line}: {type(error).__name__}: {error}; correct that line"
            ) from error

    # -- statements ------------------------------------------------------------------

    def _statement(self, node: ast.stmt) -> None:
        self._line = node.lineno
        self._budget.spend()
        if isinstance(node, ast.Assign):
            value = self._value(node.value)
            for target in node.targets:
                self._bind(target, value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._bind(node.target, self._value(node.value))
        elif isinstance(node, ast.AugAssign):
            reading = ast.copy_location(_loading(node.target), node.target)
            self._bind(
                node.target,
                binary(node.op, self._value(reading), self._value(node.value), self._budget),
            )
        elif isinstance(node, ast.Expr):
            self._value(node.value)
        elif isinstance(node, ast.If):
            for line in node.body if self._value(node.test) else node.orelse:
                self._statement(line)
        elif isinstance(node, ast.For):
            for item in items_of(self._value(node.iter), self._budget):
                self._bind(node.target, item)
                for line in node.body:
                    self._statement(line)
            for line in node.orelse:
                self._statement(line)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._delete(target)
        elif not isinstance(node, ast.Pass):
            raise self._refuse(node, f"{type(node).__name__} is used")

    def _delete(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name) and target.id in self.names:
            del self.names[target.id]
            return
        if isinstance(target, (ast.Subscript, ast.Attribute)):
            owner = self._value(target.value)
            is_item = isinstance(target, ast.Subscript)
            key: Any = self._value(target.slice) if is_item else target.attr  # type: ignore[union-attr]
            if isinstance(owner, dict):
                dict.__delitem__(owner, key)
                return
            if isinstance(owner, list) and is_item:
                del owner[key]
                return
        raise TypeError("only names, keys and list items can be deleted")

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Bind names to their dotted names; nothing is imported."""
        for alias in node.names:
            if isinstance(node, ast.Import):
                first = alias.name.partition(".")[0]
                self._scopes[-1][alias.asname or first] = DottedName(
                    alias.name if alias.asname else first
                )
                continue
            if alias.name == "*" or node.level:
                raise self._refuse(node, "an import whose names are not written out is used")
            dotted = f"{node.module}.{alias.name}"
            self._scopes[-1][alias.asname or alias.name] = CONSTANTS.get(dotted, DottedName(dotted))


def _loading(target: ast.expr) -> ast.expr:
    """Give the expression that reads what an assignment target names."""
    if isinstance(target, ast.Name):
        return ast.Name(id=target.id, ctx=ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(value=target.value, attr=target.attr, ctx=ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load())
    raise TypeError(f"{type(target).__name__} cannot be augmented")
