"""Which scope names are looked up in first: one per context, nothing process-wide.

``mmengine`` is a permanent alias of the root scope, so that existing configs work.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import InstanceError, InvalidUseError
from .instances import ManagerMixin

ROOT_SCOPE = "tk"
_ALIASES = {"mmengine": ROOT_SCOPE}


def canonical(scope: str) -> str:
    """The scope that ``scope`` is an alias of, or itself."""
    return _ALIASES.get(scope, scope)


class DefaultScope(ManagerMixin):
    """A scope that is the default while this object is current.

    Args:
        name: under which ``get_instance`` finds the object.
        scope_name: the scope; ``None`` is the root scope.
    """

    def __init__(self, name: str, scope_name: str | None) -> None:
        super().__init__(name)
        if scope_name is not None and not isinstance(scope_name, str):
            raise InvalidUseError(
                f"scope_name must be a str, or None for the root scope, got {scope_name!r}"
            )
        self._scope_name = ROOT_SCOPE if scope_name is None else scope_name
        self._canonical = canonical(self._scope_name)

    @property
    def scope_name(self) -> str:
        """The scope, as it was given."""
        return self._scope_name

    @classmethod
    def get_current_instance(cls) -> DefaultScope | None:  # type: ignore[override]
        """The default scope of this context, or ``None`` where there is none.

        Raises:
            InstanceError: none was set in this context and the process has several
                different ones, which the text names.
        """
        current: DefaultScope | None = cls._current.get()
        if current is not None or not cls._instance_dict:
            return current
        live: list[DefaultScope] = list(cls._instance_dict.values())
        scopes = {instance._canonical for instance in live}
        if len(scopes) > 1:
            raise InstanceError(
                "which scope is the default was not set in this thread or task, and there are "
                f"several: {', '.join(map(repr, sorted(scopes)))}; enter "
                "`with DefaultScope.overwrite_default_scope(scope):`"
            )
        return live[-1] if live else None

    @classmethod
    @contextmanager
    def overwrite_default_scope(cls, scope_name: str | None) -> Iterator[None]:
        """Make ``scope_name`` the default inside the block; ``None`` changes nothing."""
        if scope_name is None:
            yield
            return
        with cls(name=f"overwritten by {scope_name}", scope_name=scope_name).as_current():
            yield


def current_scope() -> str | None:
    """The default scope of this context by its canonical name, or ``None``."""
    current = DefaultScope.get_current_instance()
    return None if current is None else current._canonical


def init_default_scope(scope: str | None) -> None:
    """Make ``scope`` the default from now on, with a warning if another one was."""
    scope = ROOT_SCOPE if scope is None else scope
    before = current_scope()
    if before == canonical(scope):
        return
    if before is not None:
        warnings.warn(
            f"the default scope was {before!r} and becomes {scope!r}; for a while only, use "
            "`with DefaultScope.overwrite_default_scope(scope):`",
            UserWarning,
            stacklevel=2,
        )
    if DefaultScope.check_instance_created(scope):
        DefaultScope._publish(DefaultScope.get_instance(scope))
    else:
        DefaultScope.get_instance(scope, scope_name=scope)
