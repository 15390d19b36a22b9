"""A mistake in the settings of a run: what is wrong, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ConfigMistake:
    """Something in a config that cannot work, where it stands, and how to correct it.

    ``path`` is the dotted path of the setting, ``origin`` its file and line.
    """

    message: str
    path: str = ""
    origin: str | None = None

    def __str__(self) -> str:
        return ": ".join(part for part in (self.origin, self.path, self.message) if part)
