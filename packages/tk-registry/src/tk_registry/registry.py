"""`Registry`: find callables by name and build objects with them from mappings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from .build import build_from_cfg
from .errors import InvalidUseError
from .names import NameTree

T = TypeVar("T")


class Registry(NameTree[T]):
    """Maps names to callables that make a ``T``, and builds a ``T`` from a config.

    Registries of one kind form a tree: the shared root, and a child for each package,
    called by its scope.

    Args:
        name: what the entries are ("model"), for messages.
        build_func: called as ``build_func(cfg, *args, registry=self, **kwargs)``; by
            default that of the parent, else `build_from_cfg`.
        parent: registry that is asked after this one.
        scope: name of this registry among the children of its parent; by default
            the top-level package of the caller.
        locations: modules that register into it, imported before the first look-up.
        supplied: arguments that whoever builds adds to those in the config, such as
            the parameters of an optimizer; `check` does not miss them. By default
            those of the parent.
    """

    def __init__(
        self,
        name: str,
        build_func: Callable[..., T] | None = None,
        parent: Registry[Any] | None = None,
        scope: str | None = None,
        locations: Sequence[str] = (),
        *,
        supplied: Collection[str] | None = None,
    ) -> None:
        if build_func is not None and not callable(build_func):
            raise InvalidUseError(f"build_func must be callable or None, got {build_func!r}")
        super().__init__(name, parent, scope, locations)
        self._build_func = build_func
        self._supplied = None if supplied is None else frozenset(supplied)

    @property
    def build_func(self) -> Callable[..., T]:
        """What `build` calls; looked up through the parents each time, and may be set."""
        node: Any = self
        while node is not None:
            if node._build_func is not None:
                return node._build_func  # type: ignore[no-any-return]
            node = node.parent
        return build_from_cfg

    @build_func.setter
    def build_func(self, function: Callable[..., T] | None) -> None:
        self._build_func = function

    @property
    def supplied(self) -> frozenset[str]:
        """Arguments that whoever builds adds to those in the config."""
        node: Any = self
        while node is not None:
            if node._supplied is not None:
                return node._supplied  # type: ignore[no-any-return]
            node = node.parent
        return frozenset()

    def build(self, cfg: Any, *args: Any, **kwargs: Any) -> T:
        """Build an object from ``cfg``: a mapping with ``type`` and keyword arguments."""
        return self.build_func(cfg, *args, **kwargs, registry=self)
