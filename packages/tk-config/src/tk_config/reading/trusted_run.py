"""Running the Python of a file that the user named, as Python runs it.

The code is compiled under the file's real name, so tracebacks and origins point to the
real lines. The dicts that it writes out become nodes through the calls that
``instrument.py`` has put around them.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from ..errors import ConfigParsingError
from ..source.instrument import BARE, NODE, TEXT, TEXT_IN_F_STRING, Site, syntax_error
from ..source.templates import Templates
from ..tree.draft import DraftDict, written_node
from ..tree.finish import CONFIG_MODULE
from ..tree.origin import short_path
from ..tree.origin_table import OriginTable
from ..tree.placeholders import LazyObject
from .blame import place_in_config


class TrustedRun:
    """The names of one file while it runs.

    Args:
        path: absolute name of the file.
        sites: origins of the dicts that the file writes out.
        templates: gives the values of templates.
    """

    def __init__(self, path: str, sites: list[Site], templates: Templates) -> None:
        self._path = path

        def node(number: int, value: dict[Any, Any], *spread: Any) -> DraftDict:
            line, lines = sites[number]
            return written_node(value, OriginTable(path, line, lines), spread)

        self._helpers: dict[str, Any] = {
            NODE: node,
            TEXT: templates.text,
            TEXT_IN_F_STRING: templates.text_in_f_string,
            BARE: templates.bare,
            "__builtins__": builtins,
            "__file__": path,
            "__name__": CONFIG_MODULE,
        }
        self.names: dict[str, Any] = dict(self._helpers)

    def run(self, statements: list[ast.stmt]) -> None:
        """Execute statements, one after the other, among the names so far."""
        code = self._compiled(ast.Module(body=statements, type_ignores=[]), "exec")
        with self._refusing_exit():
            exec(code, self.names)  # noqa: S102  # the user named the file

    def bind_import(self, name: str, placeholder: LazyObject) -> None:
        """Bind a name to what an import would give."""
        self.names[name] = placeholder

    def check(self, tree: Any) -> None:
        """Accept any result."""

    def value(self, expression: ast.expr) -> Any:
        """Give the value of one expression."""
        code = self._compiled(ast.Expression(body=expression), "eval")
        with self._refusing_exit():
            return eval(code, self.names)  # noqa: S307  # the user named the file

    def _compiled(self, tree: ast.Module | ast.Expression, mode: str) -> CodeType:
        try:
            return compile(tree, self._path, mode)
        except SyntaxError as error:  # what only the compiler sees, such as `return` outside
            raise syntax_error(error, short_path(self._path)) from error

    @contextmanager
    def _refusing_exit(self) -> Iterator[None]:
        """Turn ``sys.exit()`` into an error, which a program does not take for success."""
        try:
            yield
        except SystemExit as error:
            place = place_in_config(error) or short_path(self._path)
            raise ConfigParsingError(
                f"{place}: the config ends the program with exit code {error.code!r}; a config "
                "only sets values, so remove that call"
            ) from error
