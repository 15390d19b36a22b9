"""Python source as a syntax tree that can tell, later, where each key was written.

Every dict that the file writes out is wrapped into a call that makes it a node knowing
the lines of its keys. The lines are taken from the tree once per file, so running the
code costs one call per dict and nothing per value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import ConfigSyntaxError, DuplicateKeyError
from ..tree.origin import short_path
from ..tree.origin_table import Line

NODE = "__tk_node__"
TEXT = "__tk_text__"
TEXT_IN_F_STRING = "__tk_f_text__"
BARE = "__tk_bare__"


class Site(NamedTuple):
    """A place of a file that writes a dict out: its line, and the lines of the keys."""

    line: int
    lines: dict[Any, Line]


def parse(text: str, path: str, shown: str) -> ast.Module:
    """Parse Python source.

    Raises:
        ConfigSyntaxError: it is no Python; names the real file and line.
    """
    try:
        return ast.parse(text, path)
    except SyntaxError as error:
        raise syntax_error(error, shown) from error
    except (ValueError, MemoryError, RecursionError) as error:
        raise ConfigSyntaxError(
            f"{shown}: cannot be parsed ({str(error) or 'nested too deeply'}); "
            "write it with less nesting and without null bytes"
        ) from error


def syntax_error(error: SyntaxError, shown: str) -> ConfigSyntaxError:
    """Build the error for text that is no Python, with the real file and line."""
    line = (error.text or "").strip()
    detail = f" in {line!r}" if line else ""
    return ConfigSyntaxError(
        f"{shown}:{error.lineno}: {error.msg}{detail}; correct the Python syntax there"
    )


def lines_of_items(node: ast.expr) -> tuple[Any, ...] | None:
    """Give the line of each item of a list written over several lines, or None."""
    if node.__class__ is not ast.List and node.__class__ is not ast.Tuple:
        return None
    items = node.elts
    if node.end_lineno == node.lineno or any(item.__class__ is ast.Starred for item in items):
        return None
    return tuple(
        (item.lineno, inner) if (inner := lines_of_items(item)) else item.lineno for item in items
    )


def line_of(line: int, value: ast.expr) -> Line:
    """Give the line of a key, with the lines of the items when its value is a long list."""
    if value.__class__ is ast.Constant:
        return line
    items = lines_of_items(value)
    return line if items is None else (line, items)


def site_of(node: ast.Dict | ast.Call | ast.DictComp, path: str) -> Site:
    """Give the lines of the keys that a dict display or ``dict(...)`` writes out.

    Raises:
        DuplicateKeyError: it writes the same key twice.
    """
    lines: dict[Any, Line] = {}
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values):  # noqa: B905  # equal by construction
            if isinstance(key, ast.Constant):
                lines[key.value] = line_of(key.lineno, value)
    elif isinstance(node, ast.Call):
        for word in node.keywords:
            if word.arg is not None:
                if word.arg in lines:
                    raise repeated_key(word.arg, path, word.lineno, lines[word.arg])
                lines[word.arg] = line_of(word.lineno, word.value)
    return Site(node.lineno, lines)


def repeated_key(key: str, path: str, line: int, first: Line) -> DuplicateKeyError:
    """Build the error for a key that is written twice in one dict."""
    first_line = first[0] if isinstance(first, tuple) else first
    return DuplicateKeyError(
        f"{short_path(path)}:{line}: the key {key!r} is given twice, first in line {first_line}; "
        "keep one of them"
    )


@dataclass
class Instrumented:
    """Statements ready to run, and what was learned from them."""

    sites: list[Site] = field(default_factory=list)
    top_level: dict[Any, Line] = field(default_factory=dict)
    uses: dict[str, list[str]] = field(default_factory=dict)
    """Per name that is read: the top-level keys in whose values it is read."""
    imported: set[str] = field(default_factory=set)
    """Names bound by ``import``, ``def`` and ``class``: they are no config keys."""


class Instrument:
    """Wraps the dicts of a file; changes the tree in place.

    Args:
        body: all statements of the file.
        path: file name that origins carry.
        has_templates: whether strings may hold ``{{...}}``.
    """

    def __init__(self, body: list[ast.stmt], path: str, *, has_templates: bool) -> None:
        self.instrumented = Instrumented()
        self.dict_is_builtin = "dict" not in _bound_names(body)
        self._path = path
        self._has_templates = has_templates
        self._names: list[str] = []

    def wrap(self, statements: list[ast.stmt]) -> None:
        """Wrap every dict in some statements."""
        for statement in statements:
            self._names = []
            name = simple_target(statement)
            if name is None:
                self._statement(statement)
                self._note_top_level(statement)
            else:
                value: ast.expr = statement.value  # type: ignore[attr-defined]
                self.note(name, line_of(statement.lineno, value))
                statement.value = self._wrap(value)  # type: ignore[attr-defined]
                self.note_uses(self._names, name)

    def wrapped(self, expression: ast.expr) -> ast.expr:
        """Wrap the dicts in an expression."""
        return self._wrap(expression)

    def note(self, name: str, line: Line) -> None:
        """Record where a top-level name is bound."""
        self.instrumented.top_level[name] = line
        self.instrumented.imported.discard(name)

    def note_import(self, name: str) -> None:
        """Record that a top-level name is bound by an import."""
        self.instrumented.top_level.pop(name, None)
        self.instrumented.imported.add(name)

    def note_uses(self, used: list[str], name: str) -> None:
        """Record which names the value of a top-level name is computed from."""
        for other in used:
            self.instrumented.uses.setdefault(other, []).append(name)

    def _note_top_level(self, statement: ast.stmt) -> None:
        bound = list(_bound_names([statement]))
        for name in bound:
            self.note(name, statement.lineno)
        if isinstance(statement, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
            self.instrumented.imported.update(bound)
            return
        for name in self._names:
            self.instrumented.uses.setdefault(name, []).extend(bound)
        for inner in getattr(statement, "body", ()):  # lines inside if, for, with
            if isinstance(inner, ast.stmt):
                self._note_top_level(inner)

    def _statement(self, node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, name, self._wrap(value))
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        value[index] = self._wrap(item)
                    elif isinstance(item, ast.AST) and not isinstance(item, ast.pattern):
                        self._statement(item)
            elif isinstance(value, ast.AST) and not isinstance(value, ast.pattern):
                self._statement(value)

    def _wrap(self, node: ast.expr) -> ast.expr:
        kind = node.__class__
        if kind is ast.Constant:
            return self._constant(node) if self._has_templates else node
        if kind is ast.Name:
            if node.ctx.__class__ is ast.Load:  # type: ignore[attr-defined]
                self._names.append(node.id)  # type: ignore[attr-defined]
            return node
        if kind is ast.JoinedStr and self._has_templates:
            self._f_string(node)  # type: ignore[arg-type]
            return node
        if kind is ast.Call or kind is ast.Dict or kind is ast.DictComp:
            return self._dict(node)  # type: ignore[arg-type]
        self._statement(node)
        return node

    def _dict(self, node: ast.Call | ast.Dict | ast.DictComp) -> ast.expr:
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name == BARE:
                node.args.append(_constant(node.lineno, node))
                return node
            is_dict = name == "dict"
            if not is_dict:
                node.func = self._wrap(node.func)
            site = site_of(node, self._path) if is_dict and self.dict_is_builtin else None
            spread = node.args + [word.value for word in node.keywords if word.arg is None]
            node.args = [self._wrap(item) for item in node.args]
            for word in node.keywords:
                word.value = self._wrap(word.value)
            if site is None:
                return node
        elif isinstance(node, ast.Dict):
            site = site_of(node, self._path)
            spread = [value for key, value in zip(node.keys, node.values) if key is None]  # noqa: B905
            node.keys = [key if key is None else self._wrap(key) for key in node.keys]
            node.values = [self._wrap(value) for value in node.values]
        else:
            site, spread = site_of(node, self._path), []
            self._statement(node)
        self.instrumented.sites.append(site)
        number = len(self.instrumented.sites) - 1
        operands = [item for item in spread if _is_plain_reference(item)]
        return _call(NODE, [_constant(number, node), node, *operands], node)

    def _constant(self, node: Any) -> ast.expr:
        if isinstance(node.value, str) and "{{" in node.value:
            return _call(TEXT, [node, _constant(node.lineno, node)], node)
        return node  # type: ignore[no-any-return]

    def _f_string(self, node: ast.JoinedStr) -> None:
        for index, part in enumerate(node.values):
            if isinstance(part, ast.Constant):
                if isinstance(part.value, str) and "{" in part.value:
                    call = _call(TEXT_IN_F_STRING, [part, _constant(part.lineno, part)], part)
                    node.values[index] = ast.copy_location(
                        ast.FormattedValue(value=call, conversion=-1, format_spec=None), part
                    )
            else:
                self._statement(part)


def simple_target(statement: ast.stmt) -> str | None:
    """Give the name that ``name = value`` binds; None for any other statement."""
    if statement.__class__ is not ast.Assign:
        return None
    targets = statement.targets
    target = targets[0]
    return target.id if len(targets) == 1 and target.__class__ is ast.Name else None


def _bound_names(statements: list[ast.stmt]) -> Iterator[str]:
    """List the names that statements bind, not looking into functions."""
    for statement in statements:
        name = simple_target(statement)
        if name is not None:
            yield name
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                yield from _target_names(target)
        elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
            yield from _target_names(statement.target)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0]
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield statement.name
        elif isinstance(statement, (ast.For, ast.While, ast.If, ast.With, ast.Try)):
            if isinstance(statement, ast.For):
                yield from _target_names(statement.target)
            for block in ("body", "orelse", "finalbody"):
                yield from _bound_names(getattr(statement, block, []))


def _target_names(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from _target_names(item)
    elif isinstance(target, ast.Starred):
        yield from _target_names(target.value)


def _is_plain_reference(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _call(function: str, args: list[ast.expr], near: ast.expr) -> ast.Call:
    line, column = near.lineno, near.col_offset
    name = ast.Name(id=function, ctx=ast.Load(), lineno=line, col_offset=column)
    return ast.Call(func=name, args=args, keywords=[], lineno=line, col_offset=column)


def _constant(value: Any, near: ast.expr) -> ast.Constant:
    return ast.Constant(value=value, lineno=near.lineno, col_offset=near.col_offset)
