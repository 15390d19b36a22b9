"""What an expression of a config is worth, computed on its syntax tree.

Names are those that the file has bound and the functions on our list; attributes are
keys of dicts and methods on our list. Everything pays from the budget before it is made.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import UnsafeConfigError
from ..source.instrument import BARE, NODE, TEXT, TEXT_IN_F_STRING, Site
from ..source.templates import Templates
from ..tree.draft import written_node
from ..tree.finish import CONFIG_MODULE
from ..tree.node import Node, origins_of
from ..tree.origin import CODE, make_origin
from ..tree.origin_table import OriginTable
from ..tree.placeholders import DottedName
from ..tree.suggestions import suggestion
from .budget import Budget, check_format, check_hashes
from .functions import CONSTANTS, Functions, items_of
from .operators import binary, compare, unary
from .screen import refusal

_CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}
_SCALARS = (str, int, float, complex, bool, type(None))


class Expressions:
    """The values of expressions, among the names that are bound so far.

    Args:
        path: absolute name of the file.
        shown: file name for errors.
        sites: origins of the dicts that the file writes out.
        templates: gives the values of templates.
        budget: what may be spent, together with the other files of the chain.
    """

    def __init__(
        self, path: str, shown: str, sites: list[Site], templates: Templates, budget: Budget
    ) -> None:
        self.names: dict[str, Any] = {"__name__": CONFIG_MODULE, "__file__": path}
        self._path = path
        self._shown = shown
        self._sites = sites
        self._templates = templates
        self._budget = budget
        self._line = 1
        self._functions = Functions(self._budget)
        self._scopes: list[dict[str, Any]] = [self.names]

    def _refuse(self, node: Any, reason: str) -> UnsafeConfigError:
        return refusal(self._shown, getattr(node, "lineno", self._line), reason)

    # -- names -----------------------------------------------------------------------

    def _bind(self, target: ast.expr, value: Any) -> None:
        self._budget.spend()
        if isinstance(target, ast.Name):
            self._scopes[-1][target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = items_of(value, self._budget)
            if len(values) != len(target.elts):
                raise ValueError(f"{len(values)} values for {len(target.elts)} names")
            for inner, item in zip(target.elts, values):  # noqa: B905  # checked above
                self._bind(inner, item)
        elif isinstance(target, ast.Attribute):
            owner = self._value(target.value)
            if not isinstance(owner, Node):
                raise self._refuse(target, f"the attribute {target.attr!r} is set")
            self._set_item(owner, target.attr, value, target)
        elif isinstance(target, ast.Subscript):
            self._set_item(self._value(target.value), self._value(target.slice), value, target)
        else:
            raise self._refuse(target, f"a target of the kind {type(target).__name__} is used")

    def _set_item(self, owner: Any, key: Any, value: Any, node: ast.expr) -> None:
        if isinstance(owner, dict):
            dict.__setitem__(owner, self._budget.pay_for(key), value)
            if isinstance(owner, Node):
                origins_of(owner).set(key, make_origin(CODE, self._path, node.lineno))
        elif isinstance(owner, list):
            owner[key] = self._items(value) if isinstance(key, slice) else value
        else:
            raise TypeError(f"items of a {type(owner).__name__} cannot be set")

    # -- values ----------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Any:
        self._budget.spend()
        evaluate = _EXPRESSIONS.get(type(node))
        if evaluate is None:
            raise self._refuse(node, f"{type(node).__name__} is used")
        return evaluate(self, node)

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        for scope in reversed(self._scopes):
            if node.id in scope:
                return scope[node.id]
        known = [*self.names, *self._functions.by_name]
        self._line = node.lineno
        raise self._refuse(
            node,
            f"the name {node.id!r} is neither bound above nor a function on the list "
            f"({suggestion(node.id, known, 'bind it first')})",
        )

    def _attribute(self, node: ast.Attribute) -> Any:
        owner = self._value(node.value)
        if isinstance(owner, DottedName):
            dotted = f"{owner}.{node.attr}"
            return CONSTANTS.get(dotted, DottedName(dotted))
        if isinstance(owner, dict) and node.attr in owner:
            return dict.__getitem__(owner, node.attr)
        if isinstance(owner, Node):
            raise AttributeError(f"no key {node.attr!r}; {suggestion(node.attr, owner)}")
        raise self._refuse(node, f"the attribute {node.attr!r} of a {type(owner).__name__} is read")

    def _subscript(self, node: ast.Subscript) -> Any:
        owner, key = self._value(node.value), self._value(node.slice)
        if isinstance(owner, DottedName) or not isinstance(owner, (dict, list, tuple, str, range)):
            raise self._refuse(node, f"an item of a {type(owner).__name__} is read")
        self._budget.pay_for(key)
        if isinstance(owner, dict):
            if key not in owner:
                raise KeyError(f"no key {key!r}; {suggestion(key, owner)}")
            return dict.__getitem__(owner, key)
        found = owner[key]
        if isinstance(key, slice):
            self._budget.spend(len(found))
        return found

    def _slice(self, node: ast.Slice) -> slice:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self._value(part) for part in parts))

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> Any:
        values: list[Any] = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                values.extend(items_of(self._value(item.value), self._budget))
            else:
                values.append(self._value(item))
        self._budget.pay_for(values)
        if isinstance(node, ast.Set):
            check_hashes(values)
        return {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)](values)

    def _dict(self, node: ast.Dict) -> dict[Any, Any]:
        values: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values):  # noqa: B905  # equal by construction
            if key is None:
                values.update(self._functions.by_name["dict"](self._value(value)))
            else:
                values[self._budget.pay_for(self._value(key))] = self._value(value)
        return self._budget.pay_for(values)  # type: ignore[no-any-return]

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
        values = [self._value(node.elt) for _ in self._rounds(node.generators)]
        self._budget.pay_for(values)
        if not isinstance(node, ast.SetComp):
            return values
        check_hashes(values)
        return set(values)

    def _dict_comprehension(self, node: ast.DictComp) -> dict[Any, Any]:
        values = {}
        for _ in self._rounds(node.generators):
            key = self._budget.pay_for(self._value(node.key))
            values[key] = self._value(node.value)
        return self._budget.pay_for(values)  # type: ignore[no-any-return]

    def _rounds(self, generators: list[ast.comprehension]) -> Iterator[None]:
        self._scopes.append({})
        try:
            yield from self._loop(generators)
        finally:
            self._scopes.pop()

    def _loop(self, generators: list[ast.comprehension]) -> Iterator[None]:
        if not generators:
            yield
            return
        first, *rest = generators
        for item in items_of(self._value(first.iter), self._budget):
            self._bind(first.target, item)
            if all(self._value(test) for test in first.ifs):
                yield from self._loop(rest)

    def _binary(self, node: ast.BinOp) -> Any:
        return binary(node.op, self._value(node.left), self._value(node.right), self._budget)

    def _unary(self, node: ast.UnaryOp) -> Any:
        return unary(node.op, self._value(node.operand))

    def _logical(self, node: ast.BoolOp) -> Any:
        stop_at = isinstance(node.op, ast.Or)
        value: Any = None
        for operand in node.values:
            value = self._value(operand)
            if bool(value) is stop_at:
                break
        return value

    def _comparison(self, node: ast.Compare) -> Any:
        left: Any = self._value(node.left)
        result: Any = True
        for kind, operand in zip(node.ops, node.comparators):  # noqa: B905
            right = self._value(operand)
            result = compare(kind, left, right, self._budget)
            if not result:
                break
            left = right
        return result

    def _choice(self, node: ast.IfExp) -> Any:
        return self._value(node.body if self._value(node.test) else node.orelse)

    def _f_string(self, node: ast.JoinedStr) -> str:
        text = "".join(str(self._value(part)) for part in node.values)
        return self._budget.pay_for(text)  # type: ignore[no-any-return]

    def _formatted(self, node: ast.FormattedValue) -> str:
        value = self._budget.pay_for(self._value(node.value))
        if node.conversion != -1:
            value = _CONVERSIONS[chr(node.conversion)](value)
        spec = str(self._value(node.format_spec)) if node.format_spec else ""
        check_format(spec)
        self._budget.spend(len(spec) and 1000)
        if spec and not isinstance(value, _SCALARS):
            raise TypeError(f"a {type(value).__name__} takes no format")
        return format(value, spec)

    def _call(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Name) and function.id.startswith("__tk_"):
            return self._helper(function.id, node)
        called = self._callee(function)
        args: list[Any] = []
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                args.extend(items_of(self._value(arg.value), self._budget))
            else:
                args.append(self._value(arg))
        words: dict[str, Any] = {}
        for word in node.keywords:
            value = self._value(word.value)
            if word.arg is None:
                words.update(self._functions.by_name["dict"](value))
            else:
                words[word.arg] = value
        self._line = node.lineno
        return called(*args, **words)

    def _callee(self, function: ast.expr) -> Callable[..., Any]:
        if isinstance(function, ast.Name):
            bound = next((s[function.id] for s in reversed(self._scopes) if function.id in s), None)
            if isinstance(bound, DottedName):
                return self._dotted_function(bound, function)
            found = self._functions.by_name.get(function.id)
            if bound is None and found is not None:
                return found
            self._name(function)
            raise TypeError(f"{function.id!r} is a value and cannot be called")
        if not isinstance(function, ast.Attribute):
            raise self._refuse(function, f"the result of {type(function).__name__} is called")
        owner = self._value(function.value)
        if isinstance(owner, DottedName):
            return self._dotted_function(DottedName(f"{owner}.{function.attr}"), function)
        line = make_origin(CODE, self._path, function.lineno)
        method = self._functions.method(owner, function.attr, line)
        if method is None:
            raise self._refuse(
                function, f"the method {function.attr!r} of a {type(owner).__name__} is called"
            )
        return method

    def _dotted_function(self, name: DottedName, node: ast.expr) -> Callable[..., Any]:
        found = self._functions.by_dotted_name.get(name)
        if found is None:
            raise self._refuse(node, f"{name}() is called")
        return found

    def _helper(self, name: str, node: ast.Call) -> Any:
        """Evaluate one of the calls that ``python_source`` has put around values."""
        if name == NODE:
            number = node.args[0].value  # type: ignore[attr-defined]  # a constant of ours
            value = self._value(node.args[1])
            spread = [self._value(item) for item in node.args[2:]]
            line, lines = self._sites[number]
            return written_node(value, OriginTable(self._path, line, lines), spread)
        first = node.args[0].value  # type: ignore[attr-defined]  # a constant of ours
        if name == BARE:
            return self._templates.bare(first, node.lineno)
        read: dict[str, Callable[..., Any]] = {
            TEXT: self._templates.text,
            TEXT_IN_F_STRING: self._templates.text_in_f_string,
        }
        return self._budget.pay_for(read[name](first, node.lineno))

    def _items(self, value: Any) -> list[Any]:
        return items_of(value, self._budget)


_EXPRESSIONS: dict[type[ast.expr], Callable[[Expressions, Any], Any]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.Slice: Expressions._slice,
    ast.List: Expressions._sequence,
    ast.Tuple: Expressions._sequence,
    ast.Set: Expressions._sequence,
    ast.Dict: Expressions._dict,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._dict_comprehension,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.BoolOp: Expressions._logical,
    ast.Compare: Expressions._comparison,
    ast.IfExp: Expressions._choice,
    ast.JoinedStr: Expressions._f_string,
    ast.FormattedValue: Expressions._formatted,
    ast.Call: Expressions._call,
}
