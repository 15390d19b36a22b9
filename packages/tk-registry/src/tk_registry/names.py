"""Registering under names and finding by them: the part of `Registry` that does not build."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, overload

from . import dotted_names
from .discovery import import_announced
from .errors import InvalidUseError, NameClashError, RegistrationImportError, RegistryError
from .lookup import find, search, search_scope, split_scope_key
from .places import source_place
from .scope import ROOT_SCOPE, DefaultScope, canonical, current_scope
from .tree import Node, T, has_scope, writing

_C = TypeVar("_C", bound=Callable[..., Any])
_Tree = TypeVar("_Tree", bound="NameTree[Any]")


class NameTree(Node[T]):
    """Registers callables under names and finds them; see `Registry`."""

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
    def register_module(self, name: Any = None, force: bool = False, module: Any = None) -> Any:
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
        with writing:
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
                f"{name!r} is registered in {self.title()} already, by {source_place(old)}, and "
                f"now again by {source_place(module)}; choose another name, or pass force=True "
                "to replace it"
            )

    def __contains__(self, key: object) -> bool:
        """Whether ``key`` is registered now; nothing is imported to find out."""
        return isinstance(key, str) and search(self, key, importing=False) is not None

    @staticmethod
    def split_scope_key(key: str) -> tuple[str | None, str]:
        """``'s.t.A'`` as ``('s', 't.A')``, ``'A'`` as ``(None, 'A')``."""
        return split_scope_key(key)

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
        return self._find(key, []) if found is None else found

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
        from .missing_names import unknown_name  # composing errors is for those who need one

        raise with_causes(unknown_name(self, key), failures)

    def _find(self, key: str, failures: list[RegistrationImportError]) -> Callable[..., T] | None:
        if not isinstance(key, str):
            raise InvalidUseError(f"a name must be a str, got {type(key).__name__}: {key!r}")
        found = find(self, key)
        if found is not None:
            return found
        scope, _ = split_scope_key(key)
        if scope is not None and dotted_names.is_allowed_text(key):
            is_scope = has_scope(scope)
            reached: Callable[..., T] | None = _reach(key, is_scope)
            if reached is not None or not is_scope:
                return reached
        wanted = self._scope if scope is None else canonical(scope)
        # The owners of the root's entries announce themselves under their own names.
        others = scope is None or wanted == ROOT_SCOPE or not has_scope(wanted)
        for _ in import_announced(wanted, others=others, failures=failures):
            found = find(self, key)
            if found is not None:
                return found
        if scope is not None and not has_scope(scope):
            raise _unreachable(key, scope, failures)
        return None

    def under(self: _Tree, scope: str) -> _Tree:
        """The registry of this tree that names are looked up in under ``scope``.

        It is this one where other kinds of things have that scope and this kind has not.

        Raises:
            UnknownScopeError: no registry at all has that scope.
        """
        scope = canonical(scope)
        if scope == self._scope:
            return self
        root = self.root
        found = search_scope(root, scope)
        if found is not None:
            return found
        failures: list[RegistrationImportError] = []
        for _ in import_announced(scope, others=not has_scope(scope), failures=failures):
            found = search_scope(root, scope)
            if found is not None:
                return found
        if has_scope(scope):
            return self
        from .missing_names import unknown_scope  # composing errors is for those who need one

        raise with_causes(unknown_scope(scope), failures)

    @contextmanager
    def switch_scope_and_registry(self: _Tree, scope: str | None) -> Iterator[_Tree]:
        """The registry to use under ``scope``, which is the default inside the block.

        With ``None`` the default scope stays as it is.
        """
        with DefaultScope.overwrite_default_scope(scope):
            current = current_scope()
            yield self if current is None else self.under(current)


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


def with_causes(error: RegistryError, failures: list[RegistrationImportError]) -> RegistryError:
    """The error, chained to the imports that failed while its name was sought."""
    if failures:
        error.args = ("; besides, ".join(map(str, [error.args[0], *failures])),)
        error.__cause__ = failures[0]
    return error


def _reach(key: str, is_scope: bool) -> Any | None:
    try:
        return dotted_names.resolve(key)
    except RegistrationImportError as error:
        if is_scope and isinstance(error.__cause__, ModuleNotFoundError):
            return None  # a scope that is not a package
        raise


def _unreachable(key: str, scope: str, failures: list[RegistrationImportError]) -> RegistryError:
    for failure in failures:
        if canonical(scope) in failure.scopes:
            return failure
    if dotted_names.is_package(scope):
        return with_causes(dotted_names.outside(key), failures)
    from .missing_names import unknown_scope  # as above

    return with_causes(unknown_scope(scope, key), failures)


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
