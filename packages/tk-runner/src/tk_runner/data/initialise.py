"""Methods that initialise a lazy object before they run."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, TypeVar

logger = logging.getLogger("tk.data")

Method = TypeVar("Method", bound=Callable[..., Any])


def force_full_init(old_func: Method) -> Method:
    """A method that first initialises its object, with a warning, where that has not happened.

    Raises:
        AttributeError: the object has no method ``full_init``.
    """

    @functools.wraps(old_func)
    def initialised(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(self, "full_init"):
            raise AttributeError(
                f"{type(self).__name__}.{old_func.__name__} needs a method full_init(), "
                "and the class has none"
            )
        if not getattr(self, "_fully_initialized", False):
            logger.warning(
                "%s is lazy and was not initialised before %s(); it is now. "
                "Call full_init() first where the time matters",
                type(self).__name__,
                old_func.__name__,
            )
            self.full_init()
            self._fully_initialized = True
        return old_func(self, *args, **kwargs)

    return initialised  # type: ignore[return-value]
