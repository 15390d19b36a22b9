"""Tensors of an archive, built over its bytes without copying them."""

from __future__ import annotations

import math
import sys
from typing import Any

import torch

from ..archive import Archive
from ..errors import CorruptCheckpointError
from ..expanded import SMALL_BYTES
from .stand_ins import Call

_DTYPES = {name: one for name, one in vars(torch).items() if isinstance(one, torch.dtype)}
_STORAGES = {
    "DoubleStorage": torch.float64,
    "FloatStorage": torch.float32,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
    "LongStorage": torch.int64,
    "IntStorage": torch.int32,
    "ShortStorage": torch.int16,
    "CharStorage": torch.int8,
    "ByteStorage": torch.uint8,
    "BoolStorage": torch.bool,
    "ComplexFloatStorage": torch.complex64,
    "ComplexDoubleStorage": torch.complex128,
}

# What torch's safe loader accepts in any process, as far as torch.save writes it.
TORCH_NAMES = frozenset(
    [
        *(("torch", name) for name in (*_DTYPES, *_STORAGES, "Size", "device")),
        ("torch._utils", "_rebuild_tensor_v2"),
        ("torch._utils", "_rebuild_parameter"),
    ]
)


class TensorBuilder:
    """Makes the tensors of one archive; each stays inside its storage.

    Args:
        archive: the open archive.
        device: where tensors go.
    """

    def __init__(self, archive: Archive, device: torch.device) -> None:
        self._table = archive.records
        self._device = device
        self._file = torch.UntypedStorage.from_file(archive.name, False, archive.size_bytes)
        order = archive.read("byteorder") if "byteorder" in self._table else b"little"
        self._is_foreign = order.decode("ascii", errors="replace") != sys.byteorder
        self._storages: dict[str, tuple[torch.UntypedStorage, torch.dtype]] = {}

    def names(self) -> dict[tuple[str, str], Any]:
        """What torch's names stand for."""
        return {
            **{("torch", name): dtype for name, dtype in _DTYPES.items()},
            ("torch", "Size"): Call(tuple),
            ("torch", "device"): Call(torch.device),
            ("torch._utils", "_rebuild_tensor_v2"): Call(self.tensor),
            ("torch._utils", "_rebuild_parameter"): Call(lambda data, *_: data),
            ("torch.nn.parameter", "Parameter"): Call(lambda data, *_: data),
            **{("torch", name): StorageKind(dtype) for name, dtype in _STORAGES.items()},
        }

    def storage(self, pid: Any) -> Any:
        """The bytes behind a persistent id, with the type of their elements."""
        kind, storage_kind, key, _, count = pid
        if kind != "storage" or not isinstance(storage_kind, StorageKind) or type(count) is not int:
            raise CorruptCheckpointError(f"{kind!r} is not a storage of torch")
        if key not in self._storages:
            record = self._table.get(f"data/{key}")
            num_bytes = count * storage_kind.dtype.itemsize
            if record is None or record.size < num_bytes or count < 0:
                raise CorruptCheckpointError(f"the record data/{key} has not the bytes it should")
            self._storages[key] = self._mapped(record.offset, num_bytes, storage_kind.dtype)
        return self._storages[key]

    def _mapped(
        self, offset: int, num_bytes: int, dtype: torch.dtype
    ) -> tuple[torch.UntypedStorage, torch.dtype]:
        if num_bytes == 0:
            return torch.empty(0).untyped_storage(), dtype
        storage = self._file[offset : offset + num_bytes]
        if self._is_foreign:
            storage.byteswap(dtype)
        return storage, dtype

    def tensor(
        self,
        storage: Any,
        offset: Any,
        size: Any,
        stride: Any,
        requires_grad: Any = False,
        backward_hooks: Any = None,
        flags: Any = None,
    ) -> torch.Tensor:
        """A tensor over a storage; refused where it would reach beyond it."""
        data, dtype = storage
        if flags:  # such as conjugated, which the bytes are not yet
            raise CorruptCheckpointError(f"a tensor has the flags {flags!r}, which are not known")
        numbers = (offset, *size, *stride)
        if any(type(one) is not int or one < 0 for one in numbers) or len(size) != len(stride):
            raise CorruptCheckpointError("a tensor has a shape that is none")
        last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
        if 0 not in size and (last + 1) * dtype.itemsize > data.nbytes():
            raise CorruptCheckpointError("a tensor reaches beyond its storage")
        built = torch.empty(0, dtype=dtype)
        if math.prod(size) * dtype.itemsize > max(data.nbytes(), SMALL_BYTES):
            raise CorruptCheckpointError("a tensor repeats its few values beyond any use")
        if 0 in size:
            return built.reshape(size).to(self._device)
        return built.set_(data, offset, size, stride).to(self._device)


class StorageKind:
    """The type of a storage's elements."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: torch.dtype) -> None:
        self.dtype = dtype
