"""Rewriting a config of the text dialect as one of the pure-Python dialect.

``_base_`` becomes imports under ``read_base``, a dict over an inherited dict becomes a
call of ``merge``, ``_base_.x`` and ``{{_base_.x}}`` become ``x``. Statements that need
no change keep their text, comments included.
"""

from __future__ import annotations

import ast
import os
from keyword import iskeyword
from pathlib import Path
from typing import Any

from ..errors import ConfigParsingError
from ..reading.inherit import BaseRequest
from ..reading.load import Loader
from ..reading.source_file import Rules, SourceFile, source_of_file
from ..source.dialect import base_assignment, is_lazy
from ..source.instrument import BARE, parse, simple_target
from ..source.templates import TEMPLATE, typed_value
from ..tree.config_dict import ConfigDict

_PREDEFINED = {
    "fileDirname": "os.path.dirname(__file__)",
    "fileBasename": "os.path.basename(__file__)",
    "fileBasenameNoExtension": "os.path.splitext(os.path.basename(__file__))[0]",
    "fileExtname": "os.path.splitext(__file__)[1]",
}


def pure_python(path: str | Path, target: str | Path, rules: Rules) -> str:
    """Give the text of a config in the pure-Python dialect.

    Args:
        path: a Python file of the text dialect.
        target: where the text will stand; bases are named relative to it.
        rules: what reading the file and its bases may do.

    Raises:
        ConfigParsingError: the file cannot be rewritten; names the line and why.
    """
    source = source_of_file(os.path.abspath(path), rules)  # noqa: PTH100
    tree = parse(source.code, source.path, source.shown)
    if is_lazy(tree.body, source.shown, forced=None, has_bare_templates=bool(source.bare)):
        return source.text
    return _Rewriter(source, Path(target), rules).text_of(tree)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, source: SourceFile, target: Path, rules: Rules) -> None:
        self._source = source
        self._target = target
        self._rules = rules
        self._needs_os = False
        self._changed = False

    def text_of(self, tree: ast.Module) -> str:
        mark = next((line for line in tree.body if base_assignment(line) is not None), None)
        inherited = self._inherited(mark) if mark else ConfigDict()
        lines = self._source.code.splitlines()
        blocks, end = [], 0
        for statement in tree.body:
            gap = lines[end : statement.lineno - 1]
            end = statement.end_lineno or statement.lineno
            original = "\n".join(lines[statement.lineno - 1 : end])
            made = "" if statement is mark else self._statement(statement, original, inherited)
            blocks.append("\n".join([*gap, *([made] if made else [])]))
        blocks.append("\n".join(lines[end:]))
        head = self._head(mark)
        body = "\n".join(block for block in blocks if block.strip())
        return f"{head}\n{body}\n" if head else f"{body}\n"

    def _head(self, mark: ast.stmt | None) -> str:
        parts = ["import os\n"] if self._needs_os else []
        if mark is not None:
            names = [self._module_of(name, mark) for name in self._names(mark)]
            imports = "\n".join(f"    from {name} import *" for name in names)
            parts.append(f"from tk_config import read_base\n\nwith read_base():\n{imports}\n")
        return "\n".join(parts)

    def _names(self, mark: ast.stmt) -> list[str]:
        value = base_assignment(mark)
        try:
            named = ast.literal_eval(value) if value is not None else []
        except ValueError:
            raise self._cannot(mark, "the bases are computed") from None
        return [named] if isinstance(named, str) else list(named)

    def _module_of(self, name: str, mark: ast.stmt) -> str:
        if "::" in name:
            raise self._cannot(mark, f"{name!r} is a config of a package")
        there = (Path(self._source.path).parent / name).resolve()
        relative = Path(os.path.relpath(there, self._target.resolve().parent))
        parts = list(relative.with_suffix("").parts)
        level = 1 + parts.count("..")
        words = [part for part in parts if part != ".."]
        if relative.suffix != ".py" or not all(word.isidentifier() for word in words):
            raise self._cannot(mark, f"{name!r} cannot be named by a Python import")
        return "." * level + ".".join(words)

    def _inherited(self, mark: ast.stmt) -> ConfigDict:
        request = BaseRequest(self._names(mark), f"{self._source.shown}:{mark.lineno}")
        return Loader(self._rules).bases(request, self._source).tree

    def _statement(self, statement: ast.stmt, original: str, inherited: ConfigDict) -> str:
        self._changed = False
        made = self.visit(statement)
        name = simple_target(made)
        value = getattr(made, "value", None)
        if (
            isinstance(dict.get(inherited, name), dict)
            and isinstance(value, ast.expr)
            and _is_dict(value)
        ):
            return f"{name}.merge({ast.unparse(value)})"
        return ast.unparse(ast.fix_missing_locations(made)) if self._changed else original

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:  # ast names it
        if isinstance(node.value, ast.Name) and node.value.id == "_base_":
            self._changed = True
            return ast.copy_location(ast.Name(id=node.attr, ctx=node.ctx), node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == BARE:
            self._changed = True
            number: Any = node.args[0].value  # type: ignore[attr-defined]  # a constant of ours
            return _expression(self._template(self._source.bare[number], node, typed=True))
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, str) or not TEMPLATE.search(node.value):
            return node
        self._changed = True
        parts, end = [], 0
        for match in TEMPLATE.finditer(node.value):
            parts.append(repr(node.value[end : match.start()]))
            parts.append(self._template(match, node, typed=False))
            end = match.end()
        parts.append(repr(node.value[end:]))
        return _expression(" + ".join(part for part in parts if part != "''"))

    def _template(self, match: Any, node: ast.AST, *, typed: bool) -> str:
        if match["escape"]:
            return repr("{{")
        if match["base"]:
            value = self._base_value(match["base"].split(".")[1:], node)
            return value if typed else f"str({value})"
        self._needs_os = True
        if match["name"]:
            return _PREDEFINED[match["name"]]
        if match["secret"]:
            raise self._cannot(node, "a secret has no counterpart in the pure-Python dialect")
        default = (match["default"] or "").strip()
        if not default:
            return f"os.environ[{match['env']!r}]"
        read = f"os.environ.get({match['env']!r}, {default!r})"
        kind = type(typed_value(default)) if typed else str
        return f"{kind.__name__}({read})" if kind in (int, float) else read

    def _base_value(self, path: list[str], node: ast.AST) -> str:
        """Write a path into the bases as names and keys, whatever characters it holds."""
        first, *rest = path
        if not _is_name(first):
            raise self._cannot(node, f"{first!r} is not a Python name")
        return first + "".join(
            f".{part}" if _is_name(part) else f"[{int(part) if part.isdecimal() else part!r}]"
            for part in rest
        )

    def _cannot(self, node: Any, reason: str) -> ConfigParsingError:
        return ConfigParsingError(
            f"{self._source.shown}:{node.lineno}: cannot be rewritten with its bases, since "
            f"{reason}; convert it without --keep-bases"
        )


def _is_name(text: str) -> bool:
    return text.isidentifier() and not iskeyword(text) and not text.startswith("__")


def _is_dict(node: Any) -> bool:
    return isinstance(node, ast.Dict) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict"
    )


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
