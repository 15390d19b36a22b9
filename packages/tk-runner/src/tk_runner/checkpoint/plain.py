"""Values as tensors and builtins, which torch's safe loader reads; the rest is refused.

The walk through containers is `tk_logging.PlainConverter`; here is what needs torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch

from tk_logging import PlainConverter


def plain_values(value: Any, path: str = "") -> Any:
    """``value`` with everything in it plain; tensors share their memory, containers are new.

    Mappings become dicts, tuples of any kind tuples, sets sorted lists, arrays
    tensors, paths and members of ``IntEnum`` or ``StrEnum`` their values. Tensors
    lose their graph, their class and their attributes.

    Raises:
        NotPlainError: something has no plain form; the text has each with its path.
    """
    converter = _SharingConverter()
    plain = converter.of(value, path)
    converter.raise_refusals()
    return plain


def check_plain(parts: Mapping[str, Any]) -> None:
    """Find out before a run begins whether all of its parts can be saved.

    Args:
        parts: states by the name that an error shall give them, for instance
            ``{"hooks.EMAHook": hook.state_dict()}``.

    Raises:
        NotPlainError: they cannot; the text has every value with its path.
    """
    converter = _SharingConverter()
    for name, state in parts.items():
        converter.of(state, name)
    converter.raise_refusals()


class _SharingConverter(PlainConverter):
    """Tensors share their memory, and arrays become tensors."""

    atoms: ClassVar[frozenset[type]] = PlainConverter.atoms | {torch.device, torch.dtype}

    def tensor(self, value: torch.Tensor, path: str) -> Any:
        plain = value.detach()
        if type(plain) is not torch.Tensor:
            if hasattr(plain, "__tensor_flatten__") or hasattr(plain, "placements"):
                return self.refuse(value, path, "that is no single tensor; use full_tensor()")
            plain = plain.as_subclass(torch.Tensor)
        return plain

    def array(self, value: Any, path: str) -> Any:
        if value.dtype.kind in "US":
            return value.tolist()
        if value.dtype.kind not in "biufc" or value.dtype.itemsize > 16:
            return self.refuse(value, path, f"of {value.dtype}")
        if value.ndim == 0:
            return value.item()
        return torch.from_numpy(value.astype(value.dtype.newbyteorder("="), copy=True))
