"""One node of a tree of registries: a table of names, a scope, a parent, children.

Reading takes no lock, writing takes one. What a key means, and in which order the
tree is searched, is in ``lookup.py``.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Sequence
from threading import RLock
from types import FrameType
from typing import Any, Generic, TypeVar, cast
from weakref import WeakSet

from .errors import InvalidUseError, NameClashError, RegistrationImportError
from .scope import ROOT_SCOPE, canonical

T = TypeVar("T")
_Tree = TypeVar("_Tree", bound="Node[Any]")

writing = RLock()
_all: WeakSet[Node[Any]] = WeakSet()


def all_registries() -> list[Node[Any]]:
    """Every registry of the process that is still in use, ordered by name and scope."""
    with writing:
        found = list(_all)
    return sorted(found, key=lambda node: (node.name, node.scope))


def has_scope(scope: str) -> bool:
    """Whether any registry of the process has that scope."""
    scope = canonical(scope)
    with writing:
        return any(node.scope == scope for node in _all)


class Node(Generic[T]):
    """The table and the place in the tree; the arguments are those of `Registry`."""

    def __init__(
        self,
        name: str,
        parent: Node[Any] | None,
        scope: str | None,
        locations: Sequence[str],
        supplied: Collection[str] | None,
        consumed: Collection[str] | None,
    ) -> None:
        if parent is not None and not isinstance(parent, Node):
            raise InvalidUseError(f"parent must be a Registry, got {parent!r}")
        if scope is not None and not isinstance(scope, str):
            raise InvalidUseError(f"scope must be a str, got {scope!r}")
        if isinstance(locations, str):
            raise InvalidUseError(f"locations must be a list of modules; write [{locations!r}]")
        self._name = name
        self._made_in = caller_module()
        self._scope = canonical(self.infer_scope() if scope is None else scope)
        self._module_dict: dict[str, Callable[..., T]] = {}
        self._children: dict[str, Node[Any]] = {}
        self.advice: dict[str, str] = {}
        self.pending = list(locations)
        self._supplied = None if supplied is None else frozenset(supplied)
        self._consumed = None if consumed is None else frozenset(consumed)
        self.parent = parent
        if parent is not None:
            parent._add_child(self)
        with writing:
            _all.add(self)

    @property
    def name(self) -> str:
        """What the entries are."""
        return self._name

    @property
    def scope(self) -> str:
        """The scope of this registry, by its canonical name."""
        return self._scope

    @property
    def module_dict(self) -> dict[str, Callable[..., T]]:
        """The entries of this registry alone; the live table."""
        return self._module_dict

    @property
    def children(self: _Tree) -> dict[str, _Tree]:
        """The child registries by scope; the live table."""
        return cast("dict[str, _Tree]", self._children)  # a tree is of one class

    @property
    def root(self: _Tree) -> _Tree:
        """The registry at the top of this tree."""
        node: Node[Any] = self
        while node.parent is not None:
            node = node.parent
        return cast("_Tree", node)

    @property
    def supplied(self) -> frozenset[str]:
        """Arguments that whoever builds adds to those in the config."""
        return self.inherited("_supplied") or frozenset()

    @property
    def consumed(self) -> frozenset[str]:
        """Keys of a config that the build function takes for itself."""
        return self.inherited("_consumed") or frozenset()

    def inherited(self, attribute: str) -> Any:
        """The attribute of the nearest node, upwards, on which it is not ``None``."""
        node: Node[Any] | None = self
        while node is not None:
            value = getattr(node, attribute)
            if value is not None:
                return value
            node = node.parent
        return None

    def advise(self, name: str, advice: str) -> None:
        """Say what to use instead of something that is left out on purpose.

        The error for ``name`` ends with ``advice`` in place of a similar name. Whoever
        registers the name after all needs to take nothing back.
        """
        self.advice[name] = advice

    def title(self) -> str:
        """Name and scope, for messages."""
        return f"registry {self._name!r} (scope {self._scope!r})"

    def __len__(self) -> int:
        return len(self._module_dict)

    def __bool__(self) -> bool:
        return True  # an empty registry is a registry

    @staticmethod
    def infer_scope() -> str:
        """Top-level package of the nearest caller outside this package, else the root scope."""
        return caller_module().partition(".")[0] or ROOT_SCOPE

    def _add_child(self, child: Node[Any]) -> None:
        with writing:
            old = self._children.get(child.scope)
            if old is not None and (old._made_in, old._name) != (child._made_in, child._name):
                raise NameClashError(
                    f"{self.title()} has a child of scope {child.scope!r} already, made in "
                    f"{old._made_in or '(unknown)'}; the one made in "
                    f"{child._made_in or '(unknown)'} needs another scope"
                )
            self._children[child.scope] = child

    def own(self, name: str, *, importing: bool) -> Callable[..., T] | None:
        """What this node alone calls ``name``, if need be after importing its locations."""
        found = self._module_dict.get(name)
        if found is None and importing and self.pending:
            self.import_from_location()
            found = self._module_dict.get(name)
        return found

    def import_from_location(self) -> None:
        """Import the modules that register into this registry, each once.

        Raises:
            RegistrationImportError: one of them fails; it is tried again next time.
        """
        # No lock: importing is idempotent, and the import system has its own.
        for location in list(self.pending):
            try:
                importlib.import_module(location)
            except Exception as error:
                raise RegistrationImportError(
                    f"{self.title()} registers from {location!r}, which failed to import: "
                    f"{type(error).__name__}: {error}; repair that module or its entry in locations"
                ) from error
            with writing:
                if location in self.pending:
                    self.pending.remove(location)


def caller_module() -> str:
    """Module name of the nearest frame outside this package, or ``''`` (as under exec)."""
    package = __name__.partition(".")[0]
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] != package:
            return module
        frame = frame.f_back
    return ""
