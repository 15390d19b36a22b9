"""Files that MMEngine wrote: its few classes are read as plain data, anything else is refused.

An unpickler with a closed list of names: tensors are rebuilt, MMEngine's
``HistoryBuffer`` becomes an inert holder of its arrays, and the references that
it pickles to its own methods become nothing. No other name is ever imported.
"""

from __future__ import annotations

import collections
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from tk_logging import HistoryBuffer

from .errors import UnsafeCheckpointError


class _HistoryData:
    """What is left of a pickled history: its state, and no behaviour."""

    state: dict[str, Any]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.state = state


def _no_method(*_: Any) -> None:
    """In place of ``getattr``: MMEngine's histories refer to their own methods."""


_NUMPY_CORE = ("numpy.core.multiarray", "numpy._core.multiarray")
_KNOWN: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("collections", "defaultdict"): collections.defaultdict,
    ("mmengine.logging.history_buffer", "HistoryBuffer"): _HistoryData,
    ("builtins", "getattr"): _no_method,
    ("__builtin__", "getattr"): _no_method,
    ("builtins", "set"): set,
    ("builtins", "list"): list,
    ("builtins", "dict"): dict,
    ("builtins", "int"): int,
    ("builtins", "float"): float,
    ("_codecs", "encode"): lambda text, encoding: text.encode("latin1"),
    ("numpy", "dtype"): np.dtype,
    ("numpy", "ndarray"): np.ndarray,
    ("torch", "Size"): torch.Size,
    ("torch", "device"): torch.device,
    ("torch._utils", "_rebuild_tensor_v2"): torch._utils._rebuild_tensor_v2,
    ("torch._utils", "_rebuild_parameter"): torch._utils._rebuild_parameter,
}


def _find(module: str, name: str) -> Any:
    if (module, name) in _KNOWN:
        return _KNOWN[module, name]
    if module in _NUMPY_CORE and name in ("scalar", "_reconstruct"):
        return _numpy_rebuilder(name)
    if module == "torch" and (
        name.endswith("Storage") or isinstance(getattr(torch, name, None), torch.dtype)
    ):
        return getattr(torch, name)
    if module == "torch.storage" and name == "UntypedStorage":
        return torch.UntypedStorage
    raise UnsafeCheckpointError(f"{module}.{name}")


def _numpy_rebuilder(name: str) -> Any:
    reduced = {"scalar": np.float64(0).__reduce__()[0], "_reconstruct": np.zeros(1).__reduce__()[0]}
    return reduced[name]


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return _find(module, name)


def read_mmengine_checkpoint(path: Path, map_location: Any, asked: str) -> Any:
    """The content of an MMEngine file with its histories as plain data.

    Args:
        path: a local file.
        map_location: as for ``torch.load``.
        asked: the name that the safe loader refused, for the message.

    Raises:
        UnsafeCheckpointError: the file asks for a name outside of the list.
    """
    reader = SimpleNamespace(Unpickler=_Unpickler, load=None, __name__="restricted")
    try:
        content = torch.load(
            path, map_location=map_location, weights_only=False, pickle_module=reader
        )
    except UnsafeCheckpointError as error:
        raise UnsafeCheckpointError(
            f"{path} asks for {error} on loading (first for {asked}), which could run code; "
            "it was refused. Load it where it was written and save tensors and plain values only"
        ) from None
    return _translated(content)


def _translated(content: Any) -> Any:
    """Histories as the state that our own hub reads; NumPy values as plain ones."""
    if isinstance(content, _HistoryData):
        return _history_state(content.state)
    if isinstance(content, dict):
        for key in list(content):
            content[key] = _translated(content[key])
        return content
    if isinstance(content, list):
        return [_translated(one) for one in content]
    if isinstance(content, tuple):
        return tuple(_translated(one) for one in content)
    if isinstance(content, np.generic):
        return content.item()
    if isinstance(content, np.ndarray) and content.dtype.kind in "biuf":
        return torch.from_numpy(content)
    return content


def _history_state(state: dict[str, Any]) -> dict[str, Any]:
    values = np.asarray(state.get("_log_history", ()), dtype=np.float64)
    counts = np.asarray(state.get("_count_history", ()), dtype=np.int64)
    return HistoryBuffer(values.tolist(), counts.tolist()).state_dict()
