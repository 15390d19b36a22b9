"""Reading one Python config: its dialect, the bases it asks for, the values it gives.

The functions are generators: they yield a request for bases, are sent what was read, and
return the values of the file. So nothing here knows how other files are found.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Generator
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, Protocol

from ..data_only.budget import Budget
from ..errors import ConfigParsingError
from ..source.dialect import base_assignment, is_lazy, is_read_base
from ..source.imports import ImportRewriter
from ..source.instrument import Instrument, Instrumented, parse
from ..source.read_base import BaseImport, base_imports
from ..source.templates import Templates
from ..tree.config_dict import ConfigDict
from ..tree.draft import DraftDict, inherited_copy, written_node
from ..tree.node import origin_of, origins_of, set_state
from ..tree.origin import Origin, after, short_path
from ..tree.origin_table import OriginTable
from ..tree.paths import value_at
from ..tree.suggestions import suggestion_or_known
from .inherit import BASE, BaseRequest, FileValues, Inherited
from .source_file import Rules, SourceFile
from .trusted_run import TrustedRun

ITEMS = "_items_"
"""A top-level dict of the keys that cannot be written as Python names."""

Reading = Generator[BaseRequest, Inherited, FileValues]


class Run(Protocol):
    """How statements are executed: by Python itself, or as data."""

    names: dict[str, Any]
    lazies: list[Any]

    def run(self, statements: list[ast.stmt]) -> None:
        """Execute statements among the names so far."""

    def value(self, expression: ast.expr) -> Any:
        """Give the value of an expression."""

    def check(self, tree: Any) -> None:
        """Refuse a result that is too large, where results are bounded."""


class Means(NamedTuple):
    """What a file is read with."""

    rules: Rules
    templates: Templates
    budget: Budget
    is_base: bool
    """Whether another file has asked for it."""


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
    instrumented = _instrumented(source, body, has_templates="{{" in source.code)
    run = _new_run(source, means, instrumented)
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
            run.run(before)
            body = rest
        else:
            body = before + rest
        base = yield _request(run.value(paths), f"{source.shown}:{mark.lineno}")
        instrumented.top_level.pop(BASE, None)
        tree = base.tree
        if BASE in instrumented.uses or len(re.findall(BASE, source.code)) > 1:
            tree = changed_base = inherited_copy(tree)
            run.names[BASE] = tree
        means.templates.base_value = lambda path: inherited_copy(value_at(tree, path))
    run.run(body)
    values = _values(run, instrumented, inherited={}, borrowed=set())
    values.changed_base = changed_base
    return values


def _read_lazy_dialect(source: SourceFile, means: Means, body: list[ast.stmt]) -> Reading:
    statements = [line for line in body if not is_read_base(line)]
    instrumented = _instrumented(source, statements, has_templates=False)
    run = _new_run(source, means, instrumented)
    rewriter = ImportRewriter(source.path, source.shown, run.lazies)
    inherited: dict[str, Origin | None] = {}
    borrowed: set[str] = set()
    segment: list[ast.stmt] = []
    for statement in body:
        if not is_read_base(statement):
            segment.append(statement)
            continue
        run.run(rewriter.statements(segment))
        segment = []
        for wanted in base_imports(statement, source.shown):  # type: ignore[arg-type]
            place = f"{source.shown}:{wanted.line}"
            base = yield _request_of_import(wanted, place)
            _bind_inherited(wanted, base, run, inherited, borrowed, place)
    run.run(rewriter.statements(segment))
    values = _values(run, instrumented, inherited, borrowed)
    values.is_lazy = True
    written = {key: run.names[key] for key in instrumented.top_level if key in values.tree}
    values.written = written_node(written, instrumented.top_level)
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
    run: Run,
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
            run.names[here] = dict.__getitem__(tree, name)
            inherited[here] = origin_of(tree, name)
        elif name in base.imported:
            run.names[here] = base.imported[name]
            borrowed.add(here)
        else:
            raise ConfigParsingError(
                f"{place}: {short_path(base.path)} defines no {name!r}; "
                f"{suggestion_or_known(name, tree)}"
            )


def _instrumented(source: SourceFile, body: list[ast.stmt], *, has_templates: bool) -> Instrumented:
    module = ast.Module(body=body, type_ignores=[])
    return Instrument(source.path, has_templates=has_templates).module(module)


def _new_run(source: SourceFile, means: Means, instrumented: Instrumented) -> Run:
    if means.rules.trusted:
        return TrustedRun(source.path, instrumented.sites, means.templates)
    from ..data_only.evaluate import DataRun  # only for what is not trusted

    return DataRun(source.path, source.shown, instrumented.sites, means.templates, means.budget)


def _values(
    run: Run,
    instrumented: Instrumented,
    inherited: dict[str, Origin | None],
    borrowed: set[str],
) -> FileValues:
    """Sort the names that a file has bound into keys and the rest."""
    tree = DraftDict.__new__(DraftDict)
    imported: dict[str, Any] = {}
    origins = OriginTable(instrumented.top_level)
    for name, value in run.names.items():
        kind = value.__class__
        if name[:2] == "__" or name == BASE or kind is ModuleType:
            continue
        if name in instrumented.imported or (
            name in borrowed and name not in instrumented.top_level
        ):
            imported[name] = value
        elif kind is not FunctionType:
            dict.__setitem__(tree, name, value)
            older = inherited.get(name)
            if older is not None:
                newer = instrumented.top_level.get(name)
                origins.put(name, older if newer is None else after(newer, older))
    run.check(tree)
    set_state(tree, "_tk_origins", origins)
    _unpack_items(tree)
    return FileValues(tree, imported=imported, uses=instrumented.uses)


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
