"""Values of the environment that must not be written down.

``{{$TOKEN!secret}}`` gives a :class:`Secret`: the real text for whoever uses it, and the
reference for whoever writes a config into a log or a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Secret(str):
    """A text that is shown as the reference it came from."""

    __slots__ = ("reference",)
    reference: str

    def __new__(cls, value: str, reference: str) -> Secret:
        """Make a secret of the real text and of what is shown instead."""
        made = super().__new__(cls, value)
        made.reference = reference
        return made

    def __repr__(self) -> str:
        return repr(self.reference)

    def __reduce__(self) -> Any:
        return Secret, (str.__str__(self), self.reference)

    def __deepcopy__(self, memo: dict[int, Any]) -> Secret:
        return self


def masked(text: str, secrets: Mapping[str, str]) -> str:
    """Replace every known secret in a text by its reference.

    Args:
        text: any text, also one that only contains a secret.
        secrets: real text of each secret, with its reference.
    """
    if isinstance(text, Secret):
        return text.reference
    for real, reference in secrets.items():
        if real and real in text:
            text = text.replace(real, reference)
    return text
