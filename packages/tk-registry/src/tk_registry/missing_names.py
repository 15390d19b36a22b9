"""What to say when a name or a scope is not found: where it was sought, what is near."""

from __future__ import annotations

from typing import Any

from . import dotted_names
from .errors import UnknownNameError, UnknownScopeError
from .lookup import search_scope, split_scope_key
from .near_names import listing, nearest
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
        f"known: {listing(known)}; {_mend(start, name, known)}"
    )


def _unknown_class(key: str) -> UnknownNameError:
    module, _, name = key.rpartition(".")
    close = nearest(name, dotted_names.neighbours(key))
    mend = f"did you mean '{module}.{close}'?" if close else "correct the name"
    return UnknownNameError(f"{module!r} has no class {name!r}; {mend}")


def _searched(start: Node[Any] | None) -> list[Node[Any]]:
    nodes = []
    while start is not None:
        nodes.append(start)
        start = start.parent
    return nodes


def _mend(start: Node[Any], name: str, known: set[str]) -> str:
    homes = [node for node in all_registries() if name in node.module_dict]
    if homes:
        advice = f"{name!r} exists in {', '.join(node.title() for node in homes)}"
        same_kind = [node for node in homes if node.root is start.root]
        return f"{advice}: write '{same_kind[0].scope}.{name}'" if same_kind else advice
    close = nearest(name, known)
    if close is not None:
        return f"did you mean {close!r}?"
    # A component inside another is sought in the registry of the outer one first.
    elsewhere = {other: node for node in all_registries() for other in node.module_dict}
    close = nearest(name, elsewhere)
    if close is not None:
        return f"did you mean {close!r} of {elsewhere[close].title()}?"
    return "import the module that registers it before building"


def unknown_scope(scope: str, key: str | None = None) -> UnknownScopeError:
    """The error for a scope that no registry has; ``key`` is the name that asked for it."""
    scopes = {node.scope for node in all_registries()}
    close = nearest(scope, scopes)
    asked = f", which {key!r} asks for" if key else ""
    mend = f"did you mean {close!r}?" if close else "import the package that registers it first"
    return UnknownScopeError(
        f"no registry has the scope {scope!r}{asked}; known scopes: {listing(scopes)}; {mend}"
    )
