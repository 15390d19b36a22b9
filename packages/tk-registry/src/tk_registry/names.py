"""Names to callables, in a tree of registries with one scope each.

An unscoped name climbs from a registry to its root; ``scope.Name`` goes to the
registry of that scope, through the root where needed. Reading takes no lock;
writing takes one. What a name means in a dotted sense is in ``dotted_names.py``.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from types import FrameType
from typing import Any, Generic, TypeVar, overload
from weakref import WeakSet

from . import dotted_names
from .discovery import import_announced
from .errors import (
    InvalidUseError,
    NameClashError,
    RegistrationImportError,
    UnknownNameError,
    UnknownScopeError,
)
from .near_names import listing, nearest
from .places import source_place
from .scope import ROOT_SCOPE, DefaultScope, canonical, current_scope

T = TypeVar("T")
_C = TypeVar("_C", bound=Callable[..., Any])

_writing = RLock()
_all: WeakSet[NameTree[Any]] = WeakSet()


def split_scope_key(key: str) -> tuple[str | None, str]:
    """``'s.t.A'`` as ``('s', 't.A')``, ``'A'`` as ``(None, 'A')``."""
    scope, dot, rest = key.partition(".")
    return (scope, rest) if dot else (None, key)


def all_registries() -> list[NameTree[Any]]:
    """Every registry of the process that is still in use, ordered by name and scope."""
    with _writing:
        found = list(_all)
    return sorted(found, key=lambda tree: (tree.name, tree.scope))


def is_same_again(old: Any, new: Any) -> bool:
    """Whether ``new`` is ``old`` defined once more, as after an edit in a notebook."""
    if old is new:
        return True
    name = getattr(old, "__qualname__", "<lambda>")
    return (
        "<lambda>" not in name
        and name == getattr(new, "__qualname__", None)
        and getattr(old, "__module__", None) == getattr(new, "__module__", None)
    )


class NameTree(Generic[T]):
    """Finds callables by name; the part of `Registry` that does not build.

    Args:
        name: what the entries are ("model"), for messages.
        parent: registry that is asked after this one.
        scope: name of this registry among the children of its parent; by default
            the top-level package of the caller.
        locations: modules that register into it, imported before the first look-up.
    """

    def __init__(
        self,
        name: str,
        parent: NameTree[Any] | None = None,
        scope: str | None = None,
        locations: Sequence[str] = (),
    ) -> None:
        if parent is not None and not isinstance(parent, NameTree):
            raise InvalidUseError(f"parent must be a Registry, got {parent!r}")
        if scope is not None and not isinstance(scope, str):
            raise InvalidUseError(f"scope must be a str, got {scope!r}")
        if isinstance(locations, str):
            raise InvalidUseError(f"locations must be a list of modules; write [{locations!r}]")
        self._name = name
        self._scope = canonical(self.infer_scope() if scope is None else scope)
        self._module_dict: dict[str, Callable[..., T]] = {}
        self._children: dict[str, NameTree[Any]] = {}
        self._locations = tuple(locations)
        self._pending = list(locations)
        self._made_in = _caller_module()
        self.parent = parent
        if parent is not None:
            parent._add_child(self)
        dotted_names.allow_package_of_scope(self._scope)
        with _writing:
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
    def children(self) -> dict[str, NameTree[Any]]:
        """The child registries by scope; the live table."""
        return self._children

    @property
    def root(self) -> NameTree[Any]:
        """The registry at the top of this tree."""
        node: NameTree[Any] = self
        while node.parent is not None:
            node = node.parent
        return node

    def __len__(self) -> int:
        return len(self._module_dict)

    def __bool__(self) -> bool:
        return True  # an empty registry is a registry

    def __contains__(self, key: object) -> bool:
        """Whether ``key`` is registered now; nothing is imported to find out."""
        return isinstance(key, str) and self._search(key) is not None

    @staticmethod
    def infer_scope() -> str:
        """Top-level package of the nearest caller outside this package, else the root scope."""
        return _caller_module().partition(".")[0] or ROOT_SCOPE

    @staticmethod
    def split_scope_key(key: str) -> tuple[str | None, str]:
        """``'s.t.A'`` as ``('s', 't.A')``, ``'A'`` as ``(None, 'A')``."""
        return split_scope_key(key)

    def _add_child(self, child: NameTree[Any]) -> None:
        with _writing:
            old = self._children.get(child.scope)
            if old is not None and (old._made_in, old._name) != (child._made_in, child._name):
                raise NameClashError(
                    f"registry {self.name!r} has a child of scope {child.scope!r} already, made in "
                    f"{old._made_in or '(unknown)'}; the one made in "
                    f"{child._made_in or '(unknown)'} needs another scope"
                )
            self._children[child.scope] = child

    # --- registering

    @overload
    def register_module(self, name: _C) -> _C: ...
    @overload
    def register_module(
        self, name: str | Sequence[str] | None = None, force: bool = False, *, module: _C
    ) -> _C: ...
    @overload
    def register_module(
        self, name: str | Sequence[str] | None = None, force: bool = False, module: None = None
    ) -> Callable[[_C], _C]: ...
    def register_module(
        self,
        name: Any = None,
        force: bool = False,
        module: Any = None,
    ) -> Any:
        """Register a class or function; as a decorator with or without parentheses, or directly.

        Registering the same class again (same module and qualified name) replaces it.

        Args:
            name: the name, or several; by default the name of the object.
            force: replace whatever has the name.
            module: the object, for direct registration.

        Raises:
            NameClashError: another object has the name; the text names both places.
        """
        if not isinstance(force, bool):
            raise InvalidUseError(f"force must be True or False, got {force!r}")
        if module is None and callable(name):
            name, module = None, name
        names = _names(name)
        if module is not None:
            return self._register(module, names, force)
        return lambda thing: self._register(thing, names, force)

    def _register(self, module: _C, names: list[str] | None, force: bool) -> _C:
        if not callable(module):
            raise InvalidUseError(
                f"only a class or another callable can be registered, got {module!r}"
            )
        if names is None:
            names = [_own_name(module)]
        with _writing:
            if not force:
                for name in names:
                    self._check_free(name, module)
            for name in names:
                self._module_dict[name] = module
        return module

    def _check_free(self, name: str, module: Any) -> None:
        old = self._module_dict.get(name)
        if old is not None and not is_same_again(old, module):
            raise NameClashError(
                f"{name!r} is registered in {self._title()} already: {source_place(old)}; "
                f"now again by {source_place(module)}; choose another name, or pass force=True "
                "to replace it"
            )

    # --- looking up

    def get(self, key: str) -> Callable[..., T] | None:
        """What ``key`` names, or ``None`` where nothing is called so.

        The order: this registry and its parents for a plain name, the registry of
        the scope for ``scope.Name``; then, for a dotted name that configs may reach,
        the object itself; then what installed packages announce.

        Raises:
            UnknownScopeError: the first part of ``key`` is no scope.
            RefusedNameError: a dotted name to something a config may not reach.
            RegistrationImportError: a module behind the name failed to import.
        """
        found = self._module_dict.get(key)
        return found if found is not None else self._find(key, [])

    def resolve(self, key: str) -> Callable[..., T]:
        """What ``key`` names.

        Raises:
            UnknownNameError: nothing is called so; the text says where it was looked
                for, what is near, and where the name does exist. And as for `get`.
        """
        found = self._module_dict.get(key)
        if found is not None:
            return found
        failures: list[RegistrationImportError] = []
        found = self._find(key, failures)
        if found is not None:
            return found
        error = self._unknown_name(key)
        for failure in failures:
            error.args = (f"{error.args[0]}; besides, {failure}",)
        if failures:
            raise error from failures[0]
        raise error

    def _find(self, key: str, failures: list[RegistrationImportError]) -> Callable[..., T] | None:
        if not isinstance(key, str):
            raise InvalidUseError(f"a name must be a str, got {type(key).__name__}: {key!r}")
        found = self._search(key, importing=True)
        if found is not None:
            return found
        scope, _ = split_scope_key(key)
        is_scope = scope is None or has_scope(scope)
        if scope is not None and dotted_names.is_allowed_text(key):
            reached: Callable[..., T] | None = self._reach(key, is_scope)
            if reached is not None or not is_scope:
                return reached
        wanted = self._scope if scope is None else canonical(scope)
        for _ in import_announced(wanted, others=scope is None, failures=failures):
            found = self._search(key, importing=True)
            if found is not None:
                return found
        if scope is not None and not has_scope(scope):
            self._raise_unreachable(key, scope, failures)
        return None

    def _reach(self, key: str, is_scope: bool) -> Any | None:
        try:
            return dotted_names.resolve(key)
        except RegistrationImportError as error:
            if is_scope and isinstance(error.__cause__, ModuleNotFoundError):
                return None  # a scope that is not a package
            raise

    def _search(self, key: str, *, importing: bool = False) -> Callable[..., T] | None:
        """The registered object by the rules of scopes; imports only locations, if at all."""
        scope, rest = split_scope_key(key)
        if scope is None:
            node: NameTree[Any] | None = self
            while node is not None:
                found = node._own(key, importing)
                if found is not None:
                    return found
                node = node.parent
            return None
        scope = canonical(scope)
        if scope == self._scope:
            return self._own(rest, importing)
        if importing and self._pending:
            self.import_from_location()
        if scope in self._children:
            return self._children[scope]._search(rest, importing=importing)
        root = self.root
        if self is not root and (scope == root._scope or scope in root._children):
            return root._search(key, importing=importing)
        return None

    def _own(self, name: str, importing: bool) -> Callable[..., T] | None:
        found = self._module_dict.get(name)
        if found is None and importing and self._pending:
            self.import_from_location()
            found = self._module_dict.get(name)
        return found

    def import_from_location(self) -> None:
        """Import the modules that register into this registry, each once.

        Raises:
            RegistrationImportError: one of them fails; it is tried again next time.
        """
        # No lock: importing is idempotent, and the import system has its own.
        for location in list(self._pending):
            try:
                importlib.import_module(location)
            except Exception as error:
                raise RegistrationImportError(
                    f"{self._title()} registers from {location!r}, which failed to import: "
                    f"{type(error).__name__}: {error}; repair that module or its entry in locations"
                ) from error
            if location in self._pending:
                self._pending.remove(location)

    # --- scopes

    def under(self, scope: str) -> NameTree[T]:
        """The registry of this tree that names are looked up in under ``scope``.

        It is this one where other kinds of things have that scope and this kind has not.

        Raises:
            UnknownScopeError: no registry at all has that scope.
        """
        scope = canonical(scope)
        if scope == self._scope:
            return self
        found = _search_scope(self.root, scope)
        if found is not None:
            return found
        failures: list[RegistrationImportError] = []
        for _ in import_announced(scope, others=False, failures=failures):
            found = _search_scope(self.root, scope)
            if found is not None:
                return found
        if has_scope(scope):
            return self
        error = _unknown_scope(scope)
        if failures:
            error.args = (f"{error.args[0]}; besides, {failures[0]}",)
            raise error from failures[0]
        raise error

    @contextmanager
    def switch_scope_and_registry(self, scope: str | None) -> Iterator[NameTree[T]]:
        """The registry to use under ``scope``, which is the default inside the block.

        With ``None`` the default scope stays as it is.
        """
        with DefaultScope.overwrite_default_scope(scope):
            current = current_scope()
            yield self if current is None else self.under(current)

    # --- messages

    def _title(self) -> str:
        return f"registry {self._name!r} (scope {self._scope!r})"

    def _unknown_name(self, key: str) -> UnknownNameError:
        scope, rest = split_scope_key(key)
        if scope is not None and dotted_names.is_allowed_text(key):
            close = nearest(key.rpartition(".")[2], dotted_names.neighbours(key))
            stem = key.rpartition(".")[0]
            mend = f"did you mean {stem}.{close!s}?" if close else "correct the name"
            return UnknownNameError(f"{stem!r} has no class {rest.rpartition('.')[2]!r}; {mend}")
        start = self if scope is None else _search_scope(self.root, canonical(scope))
        searched: list[NameTree[Any]] = []
        while start is not None:
            searched.append(start)
            start = start.parent
        known = {name for node in searched for name in node._module_dict}
        scopes = ", ".join(repr(node._scope) for node in searched) or f"no registry of {scope!r}"
        return UnknownNameError(
            f"no {self._name} is called {key!r}; searched registry {self._name!r} in scope "
            f"{scopes}; known: {listing(known)}; {self._mend(rest, known)}"
        )

    def _mend(self, name: str, known: set[str]) -> str:
        homes = [tree for tree in all_registries() if name in tree._module_dict]
        if homes:
            places = ", ".join(tree._title() for tree in homes)
            advice = f"{name!r} exists in {places}"
            siblings = [tree for tree in homes if tree.root is self.root]
            if siblings:
                advice += f": write '{siblings[0]._scope}.{name}'"
            return advice
        close = nearest(name, known)
        if close is not None:
            return f"did you mean {close!r}?"
        return "import the module that registers it before building"

    def _raise_unreachable(
        self, key: str, scope: str, failures: list[RegistrationImportError]
    ) -> None:
        if failures:
            raise failures[0]
        if dotted_names.is_package(scope):
            raise dotted_names.outside(key)
        raise _unknown_scope(scope, key)


def has_scope(scope: str) -> bool:
    """Whether any registry of the process has that scope."""
    scope = canonical(scope)
    return any(tree.scope == scope for tree in all_registries())


def _unknown_scope(scope: str, key: str | None = None) -> UnknownScopeError:
    scopes = {tree.scope for tree in all_registries()}
    close = nearest(scope, scopes)
    asked = f" (asked for by {key!r})" if key else ""
    mend = f"did you mean {close!r}?" if close else "import the package that registers it first"
    return UnknownScopeError(
        f"no registry has the scope {scope!r}{asked}; known scopes: {listing(scopes)}; {mend}"
    )


def _search_scope(node: NameTree[Any], scope: str) -> NameTree[Any] | None:
    if node.scope == scope:
        return node
    found = node.children.get(scope)
    if found is not None:
        return found
    for child in list(node.children.values()):
        found = _search_scope(child, scope)
        if found is not None:
            return found
    return None


def _names(name: object) -> list[str] | None:
    if name is None:
        return None
    names = [name] if isinstance(name, str) else name
    if (
        not isinstance(names, (list, tuple))
        or not names
        or not all(isinstance(entry, str) for entry in names)
    ):
        raise InvalidUseError(f"name must be a str, a sequence of str or None, got {name!r}")
    return list(names)


def _own_name(module: Any) -> str:
    name = getattr(module, "__name__", "<lambda>")
    if name == "<lambda>":
        raise InvalidUseError(f"{module!r} has no name of its own; pass one: name='...'")
    return str(name)


def _caller_module() -> str:
    """Module name of the nearest frame outside this package, or ``''`` (as under exec)."""
    package = __name__.partition(".")[0]
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] != package:
            return module
        frame = frame.f_back
    return ""
