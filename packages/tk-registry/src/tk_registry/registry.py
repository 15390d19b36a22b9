"""`Registry`: find callables by name and build objects with them from mappings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from .build import build_from_cfg
from .errors import InvalidUseError
from .names import NameTree
from .places import full_name
from .problem_report import Problem

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
            the parameters of an optimizer (``"*"`` is any); `check` does not miss them.
            By default those of the parent.
        consumed: keys of a config that ``build_func`` takes for itself, so that
            `check` does not look for them in signatures. By default those of the parent.
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
        consumed: Collection[str] | None = None,
    ) -> None:
        if build_func is not None and not callable(build_func):
            raise InvalidUseError(f"build_func must be callable or None, got {build_func!r}")
        super().__init__(name, parent, scope, locations, supplied, consumed)
        self._build_func = build_func

    @property
    def build_func(self) -> Callable[..., T]:
        """What `build` calls; looked up through the parents each time, and may be set."""
        own = self._build_func
        if own is None and self.parent is not None:
            own = self.inherited("_build_func")
        return build_from_cfg if own is None else own

    @build_func.setter
    def build_func(self, function: Callable[..., T] | None) -> None:
        self._build_func = function

    def build(self, cfg: Any, *args: Any, **kwargs: Any) -> T:
        """Build an object from ``cfg``: a mapping with ``type`` and keyword arguments."""
        return self.build_func(cfg, *args, **kwargs, registry=self)

    def check(self, cfg: Any, *, given: Collection[str] = ()) -> list[Problem]:
        """Everything that is wrong in a nested config, at once; nothing is built.

        Unknown names, unknown and missing arguments, and values that do not fit simple
        annotations or the declared rules (see `value_rules`), each with its path and,
        where the config can tell, its origin.

        Args:
            cfg: as for `build`.
            given: arguments that the caller of `build` adds to the outermost config.
        """
        from .check import check  # loads inspect, 10 ms, which building does not need

        return check(cfg, self, given)

    def __repr__(self) -> str:
        header = ("name", "object")
        rows = [(name, full_name(thing)) for name, thing in sorted(self.module_dict.items())]
        width = max(len(row[0]) for row in (header, *rows))
        rule = ("-" * width, "-" * len(header[1]))
        lines = [f"{left.ljust(width)}  {right}".rstrip() for left, right in (header, rule, *rows)]
        return "\n".join([f"Registry of {self.name} ({self.scope})", *lines])
