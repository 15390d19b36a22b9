"""Values of expressions that need no code, computed on the syntax tree.

Each value is exactly what Python would compute. Whatever is not known here, or would be an
error, is left to code, which then reports it with its line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..source.instrument import BARE, line_of
from ..source.templates import Templates
from ..tree.draft import DraftDict
from ..tree.node import set_state
from ..tree.origin_table import Line, OriginTable

_put = dict.__setitem__


class NotALiteralError(Exception):
    """An expression that needs code."""


class LiteralValues:
    """The values of the literal expressions of one file.

    Args:
        path: file name that origins carry.
        names: names that expressions may read.
        templates: gives the values of templates; None leaves strings that hold them to code.
        has_templates: whether there may be any.
        dict_is_builtin: whether ``dict`` is the builtin one in the whole file.

    Attributes:
        used: the names that were read.
    """

    def __init__(
        self,
        path: str,
        names: dict[str, Any],
        templates: Templates | None,
        *,
        has_templates: bool,
        dict_is_builtin: bool,
    ) -> None:
        self.used: list[str] = []
        self._path = path
        self._names = names
        self._templates = templates
        self._has_templates = has_templates
        self._dict_is_builtin = dict_is_builtin

    def value(self, node: ast.expr) -> Any:
        """Give the value of an expression.

        Raises:
            NotALiteralError: it needs code.
        """
        if node.__class__ is ast.Constant and not self._has_templates:
            return node.value
        evaluate = _LITERALS.get(node.__class__)
        if evaluate is None:
            raise NotALiteralError
        return evaluate(self, node)

    def _constant(self, node: ast.Constant) -> Any:
        value = node.value
        if value.__class__ is not str or "{{" not in value:
            return value
        if self._templates is None:
            raise NotALiteralError
        return self._templates.text(value, node.lineno)

    def _name(self, node: ast.Name) -> Any:
        if node.id not in self._names:
            raise NotALiteralError
        self.used.append(node.id)
        return self._names[node.id]

    def _list(self, node: ast.List) -> list[Any]:
        return [self.value(item) for item in node.elts]

    def _tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple([self.value(item) for item in node.elts])

    def _call(self, node: ast.Call) -> Any:
        function = node.func
        if function.__class__ is not ast.Name:
            raise NotALiteralError
        name: str = function.id
        if name == BARE and self._templates is not None:
            number: Any = node.args[0]
            return self._templates.bare(number.value, node.lineno)
        if name != "dict" or node.args or not self._dict_is_builtin:
            raise NotALiteralError
        has_templates = self._has_templates
        lines: dict[Any, Line] = {}
        values = DraftDict.__new__(DraftDict)
        for word in node.keywords:
            key, item = word.arg, word.value
            if key is None or key in lines:
                raise NotALiteralError
            if item.__class__ is ast.Constant and not has_templates:
                _put(values, key, item.value)
                lines[key] = word.lineno
            else:
                _put(values, key, self.value(item))
                lines[key] = line_of(word.lineno, item)
        set_state(values, "_tk_origins", OriginTable(self._path, node.lineno, lines))
        return values

    def _dict(self, node: ast.Dict) -> DraftDict:
        if len(node.keys) > _MOST_KEYS:  # may be chosen so that their hashes are equal
            raise NotALiteralError
        lines: dict[Any, Line] = {}
        values = DraftDict.__new__(DraftDict)
        for key_node, item in zip(node.keys, node.values):  # noqa: B905  # equal by construction
            if key_node.__class__ is not ast.Constant:
                raise NotALiteralError
            key = self._constant(key_node)
            if key in lines:
                raise NotALiteralError
            _put(values, key, self.value(item))
            lines[key] = line_of(key_node.lineno, item)
        set_state(values, "_tk_origins", OriginTable(self._path, node.lineno, lines))
        return values

    def _unary(self, node: ast.UnaryOp) -> Any:
        value: Any = self.value(node.operand)
        if node.op.__class__ is ast.USub and value.__class__ in _NUMBERS:
            return -value
        raise NotALiteralError

    def _binary(self, node: ast.BinOp) -> Any:
        left: Any = self.value(node.left)
        right: Any = self.value(node.right)
        if left.__class__ not in _NUMBERS or right.__class__ not in _NUMBERS:
            raise NotALiteralError
        kind = node.op.__class__
        if kind is ast.Add:
            return left + right
        if kind is ast.Sub:
            return left - right
        if kind is ast.Mult:
            return left * right
        if kind is ast.Div and right != 0:
            return left / right
        raise NotALiteralError


_NUMBERS: frozenset[Any] = frozenset({int, float})
_MOST_KEYS = 1000
_LITERALS: dict[type[ast.AST], Callable[[LiteralValues, Any], Any]] = {
    ast.Constant: LiteralValues._constant,
    ast.Name: LiteralValues._name,
    ast.List: LiteralValues._list,
    ast.Tuple: LiteralValues._tuple,
    ast.Call: LiteralValues._call,
    ast.Dict: LiteralValues._dict,
    ast.UnaryOp: LiteralValues._unary,
    ast.BinOp: LiteralValues._binary,
}
