"""Values of the environment that must not be written down.

``{{$TOKEN!secret}}`` gives a :class:`Secret`: the real text for whoever uses it, and the
reference for whoever writes a config into a log or a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_TELLTALE_NAME = (
    r"(?:^|[^a-z])(?:api_?key|access_?key|private_?key|secret|token|passw(?:or)?d|passphrase"
    r"|credentials?)(?:$|[^a-z])"
)
_SHORTEST_MASKED = 8  # a shorter text would be replaced where it is not meant


class Secret(str):
    """A text that is shown as the reference it came from."""

    __slots__ = ("reference",)
    reference: str

    def __new__(cls, value: str, reference: str) -> Secret:
        """Make a secret of the real text and of what is shown instead."""
        secret = super().__new__(cls, value)
        secret.reference = reference
        return secret

    def __repr__(self) -> str:
        return repr(self.reference)

    def __reduce__(self) -> Any:
        return Secret, (str.__str__(self), self.reference)

    def __deepcopy__(self, memo: dict[int, Any]) -> Secret:
        return self


def names_a_secret(name: str) -> bool:
    """Tell whether the name of a variable or key says that its value is a secret.

    ``WANDB_API_KEY``, ``HF_TOKEN`` and ``db.password`` do, ``tokenizer`` and ``max_tokens``
    do not.
    """
    return re.search(_TELLTALE_NAME, name, re.IGNORECASE) is not None


def secrets_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Give the secrets of an environment, by real text, with their references."""
    return {
        value: f"{{{{${name}!secret}}}}"
        for name, value in environment.items()
        if len(value) >= _SHORTEST_MASKED and names_a_secret(name)
    }


def hidden(value: Any, name: str) -> Any:
    """Make texts whose names say that they are secrets into :class:`Secret`.

    Args:
        value: what was given under ``name``; dicts and lists are looked into.
        name: a key or dotted path. The reference is the environment variable that is called
            like its last part.
    """
    if isinstance(value, dict):
        return {key: hidden(item, str(key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(hidden(item, name) for item in value)
    last = name.rpartition(".")[2]
    if type(value) is str and value and names_a_secret(last):
        return Secret(value, f"{{{{${re.sub(r'[^a-zA-Z0-9]', '_', last).upper()}!secret}}}}")
    return value


def secrets_in(value: Any) -> dict[str, str]:
    """Give the secrets that a value holds, by real text, with their references."""
    if isinstance(value, Secret):
        return {str.__str__(value): value.reference}
    items = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (dict, list, tuple)):
        return {}
    return {real: at for item in items for real, at in secrets_in(item).items()}


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
