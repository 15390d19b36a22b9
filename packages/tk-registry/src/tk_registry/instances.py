"""Live objects by name: one per class and name, and a current one per context.

The named instances of a class belong to the process. Which of them is *current*
belongs to the context (`contextvars`): creating one makes it current there, and
threads or asyncio tasks never change each other's. A context that was told nothing,
such as a new thread, sees the process's only instance.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import RLock
from typing import Any, TypeVar

from .errors import InstanceError, InvalidUseError

_Managed = TypeVar("_Managed", bound="ManagerMixin")

# One lock for all classes: constructors create instances of other managed classes,
# and locks per class could wait for each other.
_creation = RLock()


def _takes_name(init: Any) -> bool:
    code = getattr(init, "__code__", None)
    if code is not None and not hasattr(init, "__wrapped__"):
        return "name" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    import inspect  # 10 ms; decorated constructors are rare

    return "name" in inspect.signature(init).parameters


class ManagerMeta(type):
    """Gives every class its own table of named instances and its own current one.

    Raises:
        InvalidUseError: the constructor of a new class takes no ``name``.
    """

    _instance_dict: dict[str, Any]
    _current: ContextVar[Any]

    def __init__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any
    ) -> None:
        super().__init__(name, bases, namespace, **kwargs)
        if not _takes_name(cls.__init__):  # type: ignore[misc]  # the class's own, on purpose
            raise InvalidUseError(
                f"{cls.__module__}.{cls.__qualname__} must take an argument 'name', by which its "
                "instances are found again; add it to __init__ and pass it to super().__init__"
            )
        cls._instance_dict = {}
        cls._current = ContextVar(f"current {cls.__qualname__}", default=None)


class ManagerMixin(metaclass=ManagerMeta):
    """Base of classes whose instances are found by name, from anywhere.

    Args:
        name: under which ``get_instance`` finds the object; not empty.
    """

    def __init__(self, name: str = "", **kwargs: Any) -> None:
        if not (name and isinstance(name, str)):
            raise InvalidUseError(
                f"the name of a {type(self).__name__} must be a non-empty str, got {name!r}"
            )
        self._instance_name = name
        super().__init__(**kwargs)

    @property
    def instance_name(self) -> str:
        """The name that this instance was created under."""
        return self._instance_name

    @classmethod
    def get_instance(cls: type[_Managed], name: str, **kwargs: Any) -> _Managed:
        """The instance called ``name``, made with ``kwargs`` and current from now on if new.

        An instance that is there already is returned as it is; ``kwargs`` given for
        it are ignored with a warning.
        """
        if not isinstance(name, str):
            raise InvalidUseError(
                f"the name of a {cls.__name__} must be a str, got {type(name).__name__}"
            )
        instance: _Managed | None = cls._instance_dict.get(name)
        if instance is None:
            with _creation:
                instance = cls._instance_dict.get(name)  # another thread may have been first
                if instance is None:
                    instance = cls(name=name, **kwargs)
                    cls._publish(instance)
                    return instance
        if kwargs:
            warnings.warn(
                f"{cls.__name__} {name!r} exists already; its arguments {sorted(kwargs)} are "
                "ignored. Call get_instance with the name only, or choose another name.",
                UserWarning,
                stacklevel=2,
            )
        return instance

    @classmethod
    def _publish(cls: type[_Managed], instance: _Managed) -> None:
        """Enter an instance into this class's table and make it current here.

        A subclass whose instances shall also count as its base's calls
        ``Base._publish(instance)``.
        """
        cls._instance_dict[instance.instance_name] = instance
        cls._current.set(instance)

    @classmethod
    def get_current_instance(cls: type[_Managed]) -> _Managed:
        """The instance that was last made current in this context.

        Raises:
            InstanceError: there is none; or none was made current in this context
                and the process has several, which the text names.
        """
        current: _Managed | None = cls._current.get()
        if current is not None:
            return current
        live: list[_Managed] = list(cls._instance_dict.values())
        if len(live) == 1:
            return live[0]
        if not live:
            raise InstanceError(
                f"there is no {cls.__name__} yet; create one with "
                f"{cls.__name__}.get_instance(name) first"
            )
        raise InstanceError(
            f"which {cls.__name__} is current was not set in this thread or task, and there are "
            f"several: {', '.join(map(repr, sorted(cls._instance_dict)))}; enter "
            f"`with {cls.__name__}.get_instance(name).as_current():`"
        )

    @classmethod
    def check_instance_created(cls, name: str) -> bool:
        """Whether there is an instance called ``name``."""
        return name in cls._instance_dict

    @classmethod
    def forget_instance(cls, name: str) -> None:
        """Drop the instance called ``name``, if there is one; a holder may keep using it."""
        with _creation:
            instance = cls._instance_dict.pop(name, None)
            if instance is not None and cls._current.get() is instance:
                cls._current.set(None)

    @contextmanager
    def as_current(self: _Managed) -> Iterator[_Managed]:
        """Make this instance the current one of its class, inside the block only."""
        current = type(self)._current
        token = current.set(self)
        try:
            yield self
        finally:
            current.reset(token)
