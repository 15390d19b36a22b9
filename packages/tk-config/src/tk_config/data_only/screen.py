"""The syntax that a config read as data may use, checked before anything is evaluated."""

from __future__ import annotations

import ast

from ..errors import UnsafeConfigError
from ..source.dialect import is_read_base
from .budget import MOST_BITS

MOST_DEPTH = 80

_ALLOWED = (
    ast.Module, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Delete, ast.If, ast.For,
    ast.Pass, ast.Import, ast.ImportFrom, ast.alias, ast.With, ast.withitem, ast.Constant,
    ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.List, ast.Tuple, ast.Set, ast.Dict,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.BinOp,
    ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.keyword, ast.Starred,
    ast.JoinedStr, ast.FormattedValue, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
    ast.expr_context,
)  # fmt: skip
_WORDS = {
    ast.Lambda: "lambda",
    ast.NamedExpr: "the assignment expression `:=`",
    ast.FunctionDef: "a function",
    ast.ClassDef: "a class",
    ast.While: "while",
    ast.Try: "try",
    ast.Await: "await",
    ast.MatMult: "the operator @",
}


def screen(tree: ast.Module, shown: str) -> None:
    """Refuse syntax that is more than data.

    Args:
        tree: a whole file.
        shown: file name for errors.

    Raises:
        UnsafeConfigError: names file, line and what is refused.
    """
    level: list[ast.AST] = [tree]
    line = 1
    for _ in range(MOST_DEPTH):
        following: list[ast.AST] = []
        for node in level:
            line = getattr(node, "lineno", line)
            reason = _objection(node)
            if reason:
                raise refusal(shown, getattr(node, "lineno", None) or line, reason)
            following.extend(ast.iter_child_nodes(node))
        if not following:
            return
        level = following
    line = next((at for at in (getattr(node, "lineno", None) for node in level) if at), line)
    raise refusal(shown, line, f"it is nested more than {MOST_DEPTH} deep")


def refusal(shown: str, line: int | None, reason: str) -> UnsafeConfigError:
    """Build the error for something that is refused in text read as data."""
    place = shown if line is None else f"{shown}:{line}"
    return UnsafeConfigError(
        f"{place}: {reason}, which is refused in a config that is read as data; "
        "write plain values, or load the file with trusted=True if you trust it"
    )


def _objection(node: ast.AST) -> str | None:
    if not isinstance(node, _ALLOWED) or isinstance(node, ast.MatMult):
        return f"{_WORDS.get(type(node), type(node).__name__)} is used"
    if isinstance(node, ast.With) and not is_read_base(node):
        return "`with` is used for something else than read_base()"
    if isinstance(node, ast.comprehension) and node.is_async:
        return "an asynchronous comprehension is used"
    for field in ("id", "attr", "arg", "name", "asname"):
        name = getattr(node, field, None)
        if isinstance(name, str) and any(part.startswith("__") for part in name.split(".")):
            if name.startswith("__tk_bare__") or _is_known(node):
                continue  # a template that stood outside quotes, or what every config knows
            return f"the name {name!r} begins with two underscores"
    value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"there is an integer of more than {MOST_BITS} bits"
    return None


def _is_known(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Name)
        and node.id in ("__name__", "__file__")
        and isinstance(node.ctx, ast.Load)
    )
