"""Objects as bytes: pickle protocol 5, with large memory left where it lies.

The memory of arrays and CPU tensors can stay outside of the pickle, as buffers that
are sent from where they are; the objects are then made as views of what arrived.
NumPy is not needed, only recognised by its pickles.
"""

from __future__ import annotations

import ctypes
import io
import pickle
from typing import Any, NamedTuple

import torch
from torch import Tensor

_SMALL_BYTES = 1 << 10  # a buffer of its own costs more than copying this into the pickle


class Pickled(NamedTuple):
    """A pickle and the buffers that stayed outside of it, or why there is none."""

    stream: memoryview
    buffers: list[memoryview]
    problem: str = ""


def pack(data: Any, *, keep_buffers: bool = False, to_cpu: bool = False) -> Pickled:
    """Return an object in pickled form; with ``keep_buffers`` large memory stays outside.

    With ``to_cpu`` the tensors of an accelerator arrive on the CPU.

    What cannot be pickled gives a result that names the problem: the caller must tell the
    other ranks before anybody raises.
    """
    stream, buffers = io.BytesIO(), list[memoryview]()

    def stays_inside(buffer: pickle.PickleBuffer) -> bool:
        raw = buffer.raw()
        if raw.nbytes < _SMALL_BYTES:
            return True
        buffers.append(raw)
        return False

    pickler = _Pickler(stream, 5, buffer_callback=stays_inside if keep_buffers else None)
    pickler.to_cpu = to_cpu
    try:
        pickler.dump(data)
    except Exception as error:  # whatever the objects' own methods raise
        return Pickled(memoryview(b""), [], f"{type(error).__name__}: {error}")
    return Pickled(stream.getbuffer(), buffers)


def unpack(stream: memoryview, buffers: list[memoryview]) -> Any:
    """Return the object whose pickle another rank of this job sent."""
    return pickle.loads(stream, buffers=buffers)  # noqa: S301  # ranks of a job trust each other


def memory_of(tensor: Tensor) -> memoryview:
    """Return a view of a CPU tensor's memory, which it keeps alive."""
    memory = (ctypes.c_uint8 * tensor.nbytes).from_address(tensor.data_ptr())
    memory.owner = tensor  # type: ignore[attr-defined]  # only there to keep it alive
    return pickle.PickleBuffer(memory).raw()


class _Pickler(pickle.Pickler):
    """Pickles tensors by their memory; torch itself would copy it several times."""

    to_cpu = False

    def reducer_override(self, obj: Any) -> Any:
        if not isinstance(obj, Tensor):
            return NotImplemented
        moves = self.to_cpu and device_kind(obj) not in ("cpu", "meta")
        tensor = obj.cpu() if moves else obj
        if type(tensor) is not Tensor or not _is_plain(tensor):
            return tensor.__reduce_ex__(5) if moves else NotImplemented  # type: ignore[no-untyped-call]  # torch's
        memory = pickle.PickleBuffer(memory_of(tensor.cpu().contiguous()))
        return _tensor_from_memory, (memory, tensor.dtype, tuple(tensor.shape), device_kind(tensor))


def _is_plain(tensor: Tensor) -> bool:
    """Say whether a tensor is no more than its memory, dtype and shape."""
    if tensor.requires_grad or tensor.layout is not torch.strided or not tensor.numel():
        return False
    return not (tensor.is_meta or tensor.is_quantized or tensor.is_conj() or tensor.is_neg())


def device_kind(tensor: Tensor) -> str:
    """Return the kind of device of a tensor, such as "cuda"."""
    return tensor.device.type


def _tensor_from_memory(
    memory: Any, dtype: torch.dtype, shape: tuple[int, ...], kind: str
) -> Tensor:
    # Memory inside the pickle may be read-only; torch needs its own.
    writable = memory if not memoryview(memory).readonly else bytearray(memory)
    tensor = torch.frombuffer(writable, dtype=dtype).reshape(shape)
    return tensor if kind == "cpu" else tensor.to(kind)
