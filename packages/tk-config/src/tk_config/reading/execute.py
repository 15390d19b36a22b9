"""Executing the statements of a Python config, one after the other.

A statement that needs no code (literals, ``dict(...)``, names bound above) is evaluated on
its syntax tree, which is several times faster than compiling it; nearly every statement of
a config is one. The others are wrapped so that their dicts know their lines, and run.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from ..data_only.budget import Budget
from ..source.imports import ImportedName, Step
from ..source.instrument import Instrument, line_of, simple_target
from ..source.templates import Templates
from ..tree.origin_table import Line
from ..tree.placeholders import LazyObject
from .literals import LiteralValues, NotALiteralError
from .source_file import Rules, SourceFile
from .trusted_run import TrustedRun


class Run(Protocol):
    """How statements are executed: by Python itself, or as data."""

    names: dict[str, Any]

    def run(self, statements: list[ast.stmt]) -> None:
        """Execute statements among the names so far."""

    def value(self, expression: ast.expr) -> Any:
        """Give the value of an expression."""

    def bind_import(self, name: str, placeholder: LazyObject) -> None:
        """Bind a name to what an import would give."""

    def check(self, tree: Any) -> None:
        """Refuse a result that is too large, where results are bounded."""


class Means(NamedTuple):
    """What a file is read with."""

    rules: Rules
    templates: Templates
    budget: Budget
    is_base: bool
    """Whether another file has asked for it."""


class Execution:
    """One file while it is executed.

    Args:
        source: the file.
        body: all its statements.
        means: what it is read with.
        has_templates: whether its strings may hold ``{{...}}``.

    Attributes:
        run: how statements that need code are executed.
    """

    def __init__(
        self, source: SourceFile, body: list[ast.stmt], means: Means, *, has_templates: bool
    ) -> None:
        self.path = source.path
        self._instrument = Instrument(body, source.path, has_templates=has_templates)
        self.run = _new_run(source, means, self._instrument)
        trusted = means.rules.trusted
        self._literals = LiteralValues(
            source.path,
            self.run.names if trusted else {},  # as data, sharing of values must be paid for
            means.templates if trusted else None,
            has_templates=has_templates,
            dict_is_builtin=self._instrument.dict_is_builtin,
        )

    @property
    def top_level(self) -> dict[Any, Line]:
        """The lines of the top-level names that were bound."""
        return self._instrument.instrumented.top_level

    @property
    def imported(self) -> set[str]:
        """Names bound by ``import``, ``def`` and ``class``."""
        return self._instrument.instrumented.imported

    @property
    def uses(self) -> dict[str, list[str]]:
        """Per name that was read, the top-level names in whose values it was."""
        return self._instrument.instrumented.uses

    def execute(self, steps: Sequence[Step]) -> None:
        """Execute statements, and bind imported names, among the names so far."""
        names, literals, instrument = self.run.names, self._literals, self._instrument
        used = literals.used
        code: list[ast.stmt] = []  # statements that need code, run together
        for step in steps:
            if isinstance(step, ImportedName):
                self._run(code)
                code = []
                self.run.bind_import(*step)
                instrument.note_import(step.name)
                continue
            name = simple_target(step)
            if name is None:
                code.append(step)
                continue
            if code:
                self._run(code)
                code = []
            expression: ast.expr = step.value  # type: ignore[attr-defined]  # an assignment
            try:
                names[name] = literals.value(expression)
            except NotALiteralError:
                used.clear()
                code.append(step)
                continue
            instrument.note(name, line_of(step.lineno, expression))
            if used:
                instrument.note_uses(used, name)
                used.clear()
        self._run(code)

    def value(self, expression: ast.expr) -> Any:
        """Give the value of one expression."""
        try:
            return self._literals.value(expression)
        except NotALiteralError:
            return self.run.value(self._instrument.wrapped(expression))

    def _run(self, statements: list[ast.stmt]) -> None:
        if not statements:
            return
        self._instrument.wrap(statements)
        self.run.run(statements)


def _new_run(source: SourceFile, means: Means, instrument: Instrument) -> Run:
    sites = instrument.instrumented.sites
    if means.rules.trusted:
        return TrustedRun(source.path, sites, means.templates)
    from ..data_only.evaluate import DataRun  # only for what is not trusted

    return DataRun(source.path, source.shown, sites, means.templates, means.budget)
