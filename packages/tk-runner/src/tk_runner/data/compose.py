"""``Compose``: a chain of transforms."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tk_registry import TRANSFORMS

Transform = Callable[[dict[str, Any]], "dict[str, Any] | None"]


class Compose:
    """Calls transforms one after another.

    A transform takes a dict and returns one, or ``None`` to say that the
    sample cannot be used; the chain ends there.

    Args:
        transforms: callables, or configs of entries of ``TRANSFORMS``.

    Raises:
        TypeError: an entry is neither, or what a config builds is not callable.
    """

    def __init__(self, transforms: Sequence[Mapping[str, Any] | Transform] | None = None) -> None:
        self.transforms: list[Transform] = []
        for position, entry in enumerate(transforms or ()):
            built: object = entry
            if isinstance(entry, Mapping):
                built = TRANSFORMS.build(entry)
            if not callable(built):
                raise TypeError(
                    f"transform {position} is {built!r}, which cannot be called; "
                    "use a callable, or a config of a registered one"
                )
            self.transforms.append(built)

    @property
    def is_random(self) -> bool | None:
        """What the transforms declare by an attribute ``is_random``.

        ``True`` where one declares it, ``False`` where all declare that they
        are not, ``None`` where one that says nothing could be.
        """
        declared = [getattr(transform, "is_random", None) for transform in self.transforms]
        if any(declared):
            return True
        return None if None in declared else False

    def __call__(self, data: dict[str, Any]) -> dict[str, Any] | None:
        """The transformed sample, or ``None`` where a transform refused it."""
        result: dict[str, Any] | None = data
        for transform in self.transforms:
            if result is None:
                return None
            result = transform(result)
        return result

    def __repr__(self) -> str:
        lines = [textwrap.indent(repr(transform), "    ") for transform in self.transforms]
        return "\n".join([f"{type(self).__name__}(", *lines, ")"])
