"""What `Registry.check` reports: one `Problem` for each thing that is wrong."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """One thing that is wrong in a config.

    Attributes:
        path: dotted path from the config that was checked; ``""`` is that config.
        message: what is wrong, what was expected, how to mend it.
        origin: ``file:line`` of the value, where the config can tell.
    """

    path: str
    message: str
    origin: str | None

    def __str__(self) -> str:
        origin = f" ({self.origin})" if self.origin else ""
        return f"{self.path or '(top)'}{origin}: {self.message}"
