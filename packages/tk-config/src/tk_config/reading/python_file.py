"""Reading one Python config: its dialect, the bases it asks for, the values it gives.

The functions are generators: they yield a request for bases, are sent what was read, and
return the values of the file. So nothing here knows how other files are found.
"""

from __future__ import annotations

import ast
from collections.abc import Generator
from types import FunctionType, ModuleType
from typing import Any

from ..errors import ConfigParsingError
from ..source.base_imports import BaseImport, base_imports
from ..source.dialect import base_assignment, is_lazy, is_read_base
from ..source.imports import ForeignImports
from ..source.instrument import parse
from ..tree.config_dict import ConfigDict
from ..tree.draft import DraftDict, inherited_copy, written_node
from ..tree.node import origin_of, origins_of, set_state
from ..tree.origin import Origin, after, short_path
from ..tree.origin_table import OriginTable, origin_at_line
from ..tree.paths import value_at
from ..tree.suggestions import suggestion
from .execute import Execution, Means
from .inherit import BASE, BaseRequest, FileValues, Inherited
from .source_file import SourceFile

ITEMS = "_items_"
"""A top-level dict of the keys that cannot be written as Python names."""

Reading = Generator[BaseRequest, Inherited, FileValues]


def read_python(source: SourceFile, means: Means) -> Reading:
    """Read a Python config of either dialect."""
    module = parse(source.code, source.path, source.shown)
    if not means.rules.trusted:
        from ..data_only.screen import screen  # only for what is not trusted

        screen(module, source.shown)
    body = module.body
    forced = means.rules.lazy
    if forced is not None and means.is_base:
        decided = any(is_read_base(line) or base_assignment(line) for line in body)
        forced = None if decided else forced
    has_bare = bool(source.bare)
    if not is_lazy(body, source.shown, forced=forced, has_bare_templates=has_bare):
        return (yield from _read_text_dialect(source, means, body))
    if has_bare:
        raise ConfigParsingError(
            f"{source.shown}: {{{{...}}}} outside quotes belongs to the text dialect, but this "
            "file is of the pure-Python one; use Python instead, such as os.environ"
        )
    return (yield from _read_lazy_dialect(source, means, body))


def _read_text_dialect(source: SourceFile, means: Means, body: list[ast.stmt]) -> Reading:
    execution = Execution(source, body, means, has_templates="{{" in source.code)
    marks = []
    if BASE in source.code:
        marks = [index for index, line in enumerate(body) if base_assignment(line) is not None]
    if len(marks) > 1:
        raise ConfigParsingError(
            f"{source.shown}:{body[marks[1]].lineno}: `_base_` was assigned before, in "
            f"line {body[marks[0]].lineno}; name all bases in one list"
        )
    changed_base = None
    if marks:
        before, mark, rest = body[: marks[0]], body[marks[0]], body[marks[0] + 1 :]
        paths: ast.expr = base_assignment(mark)  # type: ignore[assignment]  # it is one
        if _reads_names(paths):
            execution.execute(before)
            body = rest
        else:
            body = before + rest
        base = yield _request(execution.value(paths), f"{source.shown}:{mark.lineno}")
        tree = base.tree
        if source.code.count(BASE) > 1:
            tree = changed_base = inherited_copy(tree)
            execution.run.names[BASE] = tree
        means.templates.base_value = lambda path: inherited_copy(value_at(tree, path))
    execution.execute(body)
    values = _values(execution, inherited={}, borrowed=set())
    values.changed_base = changed_base
    return values


def _read_lazy_dialect(source: SourceFile, means: Means, body: list[ast.stmt]) -> Reading:
    execution = Execution(source, body, means, has_templates=False)
    names = execution.run.names
    imports = ForeignImports(source.shown)
    inherited: dict[str, Origin | None] = {}
    borrowed: set[str] = set()
    segment: list[ast.stmt] = []
    for statement in body:
        if not is_read_base(statement):
            segment.append(statement)
            continue
        execution.execute(imports.replaced(segment))
        segment = []
        for wanted in base_imports(statement, source.shown):  # type: ignore[arg-type]
            place = f"{source.shown}:{wanted.line}"
            base = yield _request_of_import(wanted, place)
            _bind_inherited(wanted, base, names, inherited, borrowed, place)
    execution.execute(imports.replaced(segment))
    values = _values(execution, inherited, borrowed)
    values.is_lazy = True
    lines = execution.top_level
    written = {key: names[key] for key in lines if key in values.tree}
    values.written = written_node(written, OriginTable(source.path, None, lines))
    return values


def _request(named: Any, place: str) -> BaseRequest:
    return BaseRequest(named if isinstance(named, (list, tuple)) else [named], place)


def _request_of_import(wanted: BaseImport, place: str) -> BaseRequest:
    if not wanted.level:
        return BaseRequest([wanted.module], place, are_modules=True)
    folders = "../" * (wanted.level - 1)
    return BaseRequest([f"./{folders}{wanted.module.replace('.', '/')}.py"], place)


def _bind_inherited(
    wanted: BaseImport,
    base: Inherited,
    bound: dict[str, Any],
    inherited: dict[str, Origin | None],
    borrowed: set[str],
    place: str,
) -> None:
    """Bind the names that a file imports from one base."""
    tree = inherited_copy(base.tree)
    names = wanted.names
    if names == (("*", "*"),):
        names = tuple((name, name) for name in (*base.imported, *tree) if str(name)[:2] != "__")
    for name, here in names:
        if name in tree:
            bound[here] = dict.__getitem__(tree, name)
            inherited[here] = origin_of(tree, name)
        elif name in base.imported:
            bound[here] = base.imported[name]
            borrowed.add(here)
        else:
            raise ConfigParsingError(
                f"{place}: {short_path(base.path)} defines no {name!r}; {suggestion(name, tree)}"
            )


def _values(
    execution: Execution, inherited: dict[str, Origin | None], borrowed: set[str]
) -> FileValues:
    """Sort the names that a file has bound into keys and the rest."""
    tree = DraftDict.__new__(DraftDict)
    imported: dict[str, Any] = {}
    path, lines = execution.path, execution.top_level
    origins = OriginTable(path, None, lines)
    for name, value in execution.run.names.items():
        kind = value.__class__
        if name[:2] == "__" or name == BASE or kind is ModuleType:
            continue
        if name in execution.imported or (name in borrowed and name not in lines):
            imported[name] = value
        elif kind is not FunctionType:
            dict.__setitem__(tree, name, value)
            older = inherited.get(name)
            if older is not None:
                newer = lines.get(name)
                new = older if newer is None else after(origin_at_line(path, newer), older)
                origins.put(name, new)
    execution.run.check(tree)
    set_state(tree, "_tk_origins", origins)
    _unpack_items(tree)
    return FileValues(tree, imported=imported, uses=execution.uses)


def _unpack_items(tree: ConfigDict) -> None:
    items = dict.get(tree, ITEMS)
    if isinstance(items, dict):
        dict.pop(tree, ITEMS)
        for key, value in dict.items(items):
            dict.__setitem__(tree, key, value)
            if origin := origin_of(items, key):
                origins_of(tree).set(key, origin)


def _reads_names(expression: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Name) and not node.id.startswith("__tk_")
        for node in ast.walk(expression)
    )
