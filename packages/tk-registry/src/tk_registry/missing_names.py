"""What to say when a name or a scope is not found: where it was sought, what is near."""

from __future__ import annotations

from typing import Any

from . import dotted_names
from .errors import UnknownNameError, UnknownScopeError
from .lookup import search_scope, split_scope_key
from .near_names import did_you_mean, listing
from .scope import canonical
from .tree import Node, all_registries


def unknown_name(start: Node[Any], key: str) -> UnknownNameError:
    """The error for a key that ``start`` and everything that it asks do not know."""
    scope, _ = split_scope_key(key)
    name = key.rpartition(".")[2]
    if scope is not None and dotted_names.is_allowed_text(key):
        return _unknown_class(key)
    searched = _searched(start if scope is None else search_scope(start.root, canonical(scope)))
    known = {name for node in searched for name in node.module_dict}
    where = ", ".join(repr(node.scope) for node in searched)
    if not searched:
        where = f"{scope!r}, which this kind has not"
    return UnknownNameError(
        f"no {start.name} is called {key!r}; searched registry {start.name!r} in scope {where}; "
        f"known: {listing(known)}; {_advice(searched, name) or _hint(start, name, known)}"
    )


def _unknown_class(key: str) -> UnknownNameError:
    module, _, name = key.rpartition(".")
    hint = did_you_mean(
        name,
        dotted_names.neighbours(key),
        "correct the name",
        shown=lambda close: f"'{module}.{close}'",
    )
    return UnknownNameError(f"{module!r} has no class {name!r}; {hint}")


def _searched(start: Node[Any] | None) -> list[Node[Any]]:
    nodes = []
    while start is not None:
        nodes.append(start)
        start = start.parent
    return nodes


def _advice(searched: list[Node[Any]], name: str) -> str | None:
    return next((node.advice[name] for node in searched if name in node.advice), None)


def _hint(start: Node[Any], name: str, known: set[str]) -> str:
    homes = [node for node in all_registries() if name in node.module_dict]
    if homes:
        advice = f"{name!r} exists in {', '.join(node.title() for node in homes)}"
        same_kind = [node for node in homes if node.root is start.root]
        return f"{advice}: write '{same_kind[0].scope}.{name}'" if same_kind else advice
    # A component inside another is looked for in the registry of the outer one first.
    elsewhere = {other: node for node in all_registries() for other in node.module_dict}
    return did_you_mean(name, known, "") or did_you_mean(
        name,
        elsewhere,
        "import the module that registers it before building",
        shown=lambda close: f"{close!r} of {elsewhere[close].title()}",
    )


def unknown_scope(scope: str, key: str | None = None) -> UnknownScopeError:
    """The error for a scope that no registry has; ``key`` is the name that asked for it."""
    scopes = {node.scope for node in all_registries()}
    asked = f", which {key!r} asks for" if key else ""
    hint = did_you_mean(scope, scopes, "import the package that registers it first")
    return UnknownScopeError(
        f"no registry has the scope {scope!r}{asked}; known scopes: {listing(scopes)}; {hint}"
    )
