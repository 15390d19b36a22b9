"""Reading one Python config: which dialect, its bases, its own keys."""

from __future__ import annotations

import ast
import os
from dataclasses import replace
from types import FunctionType, ModuleType
from typing import Any, Protocol

from .config_dict import ConfigDict, LiteralDict, draft_copy
from .errors import ConfigParsingError
from .lazy.detect import base_assignment, is_lazy, is_read_base
from .lazy.imports import ImportRewriter
from .lazy.read_base import BaseImport, base_imports
from .loaded import BaseReader, LoadedFile
from .locate import find_beside, find_module, no_bases_of_text, refuse_outside
from .near_names import hint
from .node import origin_in
from .origin import Origin, after, short_path
from .paths import value_at
from .text.python_source import Instrument, Instrumented, parse
from .text.templates import Templates
from .text.trusted import TrustedRun

BASE = "_base_"
ITEMS = "_items_"
"""A top-level dict of the keys that cannot be written as Python names."""


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


class PythonFile:
    """The source of one file on its way to a tree.

    Args:
        loader: reads the bases and holds the rules.
        path: absolute name of the file.
        code: its source, bare templates lifted out.
        templates: gives their values.
        has_bare: whether there were any.
    """

    def __init__(
        self, loader: BaseReader, path: str, code: str, templates: Templates, *, has_bare: bool
    ) -> None:
        self._loader = loader
        self._path = path
        self._shown = short_path(path)
        self._code = code
        self._templates = templates
        self._has_bare = has_bare
        self._borrowed: set[str] = set()  # names that a base has imported
        self._module = parse(code, path, self._shown)

    def read(self) -> LoadedFile:
        """Execute the file and merge it over its bases."""
        rules = self._loader.rules
        if not rules.trusted:
            from .data_only.screen import screen  # only for what is not trusted

            screen(self._module, self._shown)
        body = self._module.body
        forced = rules.lazy
        if forced is not None and self._loader.is_reading_a_base:
            decided = any(is_read_base(line) or base_assignment(line) for line in body)
            forced = None if decided else forced
        lazy = is_lazy(body, self._shown, forced=forced, has_bare_templates=self._has_bare)
        if lazy and self._has_bare:
            raise ConfigParsingError(
                f"{self._shown}: {{{{...}}}} outside quotes belongs to the text dialect, but this "
                "file is of the pure-Python one; use Python instead, such as os.environ"
            )
        return self._read_lazy(body) if lazy else self._read_text(body)

    # -- text dialect ----------------------------------------------------------------

    def _read_text(self, body: list[ast.stmt]) -> LoadedFile:
        found = self._instrument(body)
        run = self._new_run(found)
        marks = [index for index, line in enumerate(body) if base_assignment(line) is not None]
        base = None
        if marks:
            if len(marks) > 1:
                raise ConfigParsingError(
                    f"{self._shown}:{body[marks[1]].lineno}: `_base_` was assigned before, in "
                    f"line {body[marks[0]].lineno}; name all bases in one list"
                )
            before, mark, rest = body[: marks[0]], body[marks[0]], body[marks[0] + 1 :]
            paths: ast.expr = base_assignment(mark)  # type: ignore[assignment]  # it is one
            if _reads_names(paths):
                run.run(before)
                body = rest
            else:
                body = before + rest
            named = run.value(paths)
            base = self._loader.bases(named, self._path, f"{self._shown}:{mark.lineno}")
            found.top_level.pop(BASE, None)
            tree = base.tree
            if BASE in found.uses or self._code.count(BASE) > 1:
                tree = draft_copy(tree)
                base = replace(base, tree=tree)
                run.names[BASE] = tree
            self._templates.base_value = lambda path: draft_copy(value_at(tree, path))
        run.run(body)
        return self._loader.over_bases(self._own(run, found, {}), base)

    # -- pure-Python dialect ---------------------------------------------------------

    def _read_lazy(self, body: list[ast.stmt]) -> LoadedFile:
        own_body = [line for line in body if not is_read_base(line)]
        found = self._instrument(own_body, has_templates=False)
        run = self._new_run(found)
        rewriter = ImportRewriter(self._path, self._shown, run.lazies)
        inherited: dict[str, Origin | None] = {}
        bases: list[LoadedFile] = []
        segment: list[ast.stmt] = []
        for statement in body:
            if not is_read_base(statement):
                segment.append(statement)
                continue
            run.run(rewriter.statements(segment))
            segment = []
            for wanted in base_imports(statement, self._shown):  # type: ignore[arg-type]
                bases.append(self._inherit(wanted, run, inherited))
        run.run(rewriter.statements(segment))
        own = self._own(run, found, inherited)
        own.is_lazy = True
        for base in bases:
            changed = {key: own.tree.get(key) for key in found.top_level if key in own.tree}
            if changed:
                view = LiteralDict(changed)
                object.__setattr__(view, "_tk_shared", found.top_level)
                self._loader.note_overridden_variables(view, base.tree, base.uses, self._path)
            own.texts = {**base.texts, **own.texts}
            own.uses = {**base.uses, **own.uses}
        self._loader.over_bases(own, None)
        return own

    def _inherit(
        self, wanted: BaseImport, run: Run, inherited: dict[str, Origin | None]
    ) -> LoadedFile:
        place = f"{self._shown}:{wanted.line}"
        base = self._loader.load(self._base_path(wanted, place), place)
        tree = draft_copy(base.tree)
        names = wanted.names
        if names == (("*", "*"),):
            names = tuple((name, name) for name in (*base.imported, *tree) if str(name)[:2] != "__")
        for name, here in names:
            if name in tree:
                run.names[here] = dict.__getitem__(tree, name)
                inherited[here] = origin_in(tree, name)
            elif name in base.imported:
                run.names[here] = base.imported[name]
                self._borrowed.add(here)
            else:
                raise ConfigParsingError(
                    f"{place}: {short_path(base.path)} defines no {name!r}; "
                    + hint(name, list(tree), f"known: {', '.join(map(str, tree)) or '(none)'}")
                )
        return base

    def _base_path(self, wanted: BaseImport, place: str) -> str:
        if not wanted.level:
            if not self._loader.rules.trusted:
                refuse_outside(f"../{wanted.module}", self._path, place)
            return str(find_module(wanted.module, place))
        relative = "../" * (wanted.level - 1) + wanted.module.replace(".", "/") + ".py"
        if not self._loader.rules.trusted:
            if self._path.startswith("<"):
                raise no_bases_of_text(place, relative)
            refuse_outside(relative, self._path, place)
        return find_beside(os.path.join(".", relative), self._path, place)  # noqa: PTH118

    # -- both ------------------------------------------------------------------------

    def _instrument(
        self, body: list[ast.stmt], *, has_templates: bool | None = None
    ) -> Instrumented:
        if has_templates is None:
            has_templates = "{{" in self._code
        module = ast.Module(body=body, type_ignores=[])
        return Instrument(self._path, has_templates=has_templates).module(module)

    def _new_run(self, found: Instrumented) -> Run:
        if self._loader.rules.trusted:
            return TrustedRun(self._path, found.sites, self._templates)
        from .data_only.evaluate import DataRun  # only for what is not trusted

        return DataRun(self._path, self._shown, found.sites, self._templates, self._loader.budget)

    def _own(
        self, run: Run, found: Instrumented, inherited: dict[str, Origin | None]
    ) -> LoadedFile:
        tree = LiteralDict.__new__(LiteralDict)
        imported: dict[str, Any] = {}
        own: dict[Any, Origin] = {}
        for name, value in run.names.items():
            kind = value.__class__
            if name[:2] == "__" or name == BASE or kind is ModuleType:
                continue
            if name in found.imported or (name in self._borrowed and name not in found.top_level):
                imported[name] = value
            elif kind is not FunctionType:
                dict.__setitem__(tree, name, value)
                older = inherited.get(name)
                newer = found.top_level.get(name)
                if older is not None:
                    own[name] = older if newer is None else after(newer, older)
        run.check(tree)
        object.__setattr__(tree, "_tk_shared", found.top_level)
        if own:
            object.__setattr__(tree, "_tk_own", own)
        _unpack_items(tree)
        return LoadedFile(self._path, tree, imported=imported, uses=found.uses)


def _unpack_items(tree: ConfigDict) -> None:
    items = dict.get(tree, ITEMS)
    if isinstance(items, dict):
        dict.pop(tree, ITEMS)
        for key, value in dict.items(items):
            dict.__setitem__(tree, key, value)
            if origin := origin_in(items, key):
                tree._mark(key, origin)


def _reads_names(expression: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Name) and not node.id.startswith("__tk_")
        for node in ast.walk(expression)
    )
