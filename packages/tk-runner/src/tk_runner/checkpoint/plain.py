"""Values as tensors and builtins, which torch's safe loader reads; the rest is refused.

This is the one place that turns what runs hold (NumPy scalars, paths, sets of
options) into plain values. A value that has no plain form is named by its path.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import torch

from .errors import NotPlainError

ATOMS = (str, int, float, bool, bytes, complex, torch.Tensor, torch.device, torch.dtype, type(None))


def plain_values(value: Any, path: str = "") -> Any:
    """``value`` with everything in it plain; tensors are shared, containers are new.

    Raises:
        NotPlainError: something has no plain form; the text has its path.
    """
    kind = type(value)
    if kind in ATOMS or isinstance(value, torch.Tensor):
        return value.detach() if isinstance(value, torch.nn.Parameter) else value
    if isinstance(value, Mapping):
        inner = {
            key: plain_values(one, f"{path}.{key}" if path else str(key))
            for key, one in value.items()
        }
        return _with_metadata(value, inner)
    if isinstance(value, torch.Size):
        return value
    if isinstance(value, (list, tuple)):
        entries = [plain_values(one, f"{path}.{place}") for place, one in enumerate(value)]
        return entries if isinstance(value, list) else tuple(entries)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, PurePath):
        return str(value)
    for base in (bool, int, float, str, bytes):
        if isinstance(value, base):
            return base(value)
    return _from_numpy(value, path)


def _with_metadata(source: Mapping[Any, Any], inner: dict[Any, Any]) -> dict[Any, Any]:
    """A state dict keeps the versions of its modules, as an ordered dict with an attribute."""
    metadata = getattr(source, "_metadata", None)
    if metadata is None:
        return inner
    kept: OrderedDict[Any, Any] = OrderedDict(inner)
    kept._metadata = metadata  # type: ignore[attr-defined]
    return kept


def _from_numpy(value: Any, path: str) -> Any:
    if type(value).__module__ == "numpy":
        if getattr(value, "ndim", None) == 0:
            return value.item()
        if getattr(value, "dtype", None) is not None and value.dtype.kind in "biufc":
            return torch.from_numpy(value.copy())
    if isinstance(value, Sequence):
        return [plain_values(one, f"{path}.{place}") for place, one in enumerate(value)]
    raise NotPlainError(
        f"{path or 'the checkpoint'} is a {type(value).__module__}.{type(value).__qualname__}, "
        "which a safe loader does not read; keep tensors, numbers, strings, lists and dicts of "
        "them in state_dict()"
    )
