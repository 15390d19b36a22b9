"""The way of objects to one rank: pickle protocol 5, large buffers sent as they lie.

What is large (the memory of arrays and CPU tensors) is not copied into the pickle
but sent from where it lies, in pieces of bounded size, into one block on the
receiving rank; the objects there are views of that block. So the extra memory is the
received data itself, and the sender's is one piece.
"""

from __future__ import annotations

import ctypes
import io
import pickle
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.distributed as torch_dist
from torch import Tensor

from .errors import ResultsError
from .transfer import get_comm_device

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

PIECE_BYTES = 4 << 20  # measured on loopback: 1 to 16 MB are equal, below it calls cost
_SMALL_BYTES = 1 << 10  # a buffer of its own costs more than copying this into the pickle
_ALIGNMENT = 64  # what NumPy and torch align their own memory to


def gather_pickled(data: Any, dst: int, group: ProcessGroup | None) -> list[Any] | None:
    """Return every rank's object on the (global) rank ``dst``, ``None`` elsewhere.

    Raises:
        ResultsError: an object cannot be pickled; every rank raises it.
    """
    ranks = torch_dist.get_process_group_ranks(group or torch_dist.group.WORLD)
    me = torch_dist.get_rank()
    parcel, problem = _packed(data) if me != dst else (_Parcel(b"", []), "")
    headers = _exchanged_headers(parcel, problem, group)
    if any(header[0] < 0 for header in headers):
        _raise_everywhere(problem, ranks, group)
    if me != dst:
        _send(parcel, dst, group)
        return None
    return [
        data if rank == dst else _received(rank, *header, group)
        for rank, header in zip(ranks, headers, strict=True)
    ]


class _Parcel(NamedTuple):
    """A pickle and the buffers that stayed outside of it."""

    stream: bytes
    buffers: list[memoryview]


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


class _Pickler(pickle.Pickler):
    """Pickles CPU tensors by their memory; torch itself would copy it several times."""

    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is not Tensor or obj.requires_grad or obj.layout is not torch.strided:
            return NotImplemented
        if obj.is_meta or obj.is_quantized or obj.is_conj() or obj.is_neg() or not obj.numel():
            return NotImplemented
        memory = pickle.PickleBuffer(_memory_of(obj.cpu().contiguous()))
        return _tensor_from_memory, (memory, obj.dtype, tuple(obj.shape), obj.device.type)


def _tensor_from_memory(
    memory: Any, dtype: torch.dtype, shape: tuple[int, ...], kind: str
) -> Tensor:
    # Memory inside the pickle is read-only; torch needs its own.
    writable = memory if not memoryview(memory).readonly else bytearray(memory)
    tensor = torch.frombuffer(writable, dtype=dtype).reshape(shape)
    return tensor if kind == "cpu" else tensor.to(kind)


def _packed(data: Any) -> tuple[_Parcel, str]:
    stream, buffers = io.BytesIO(), list[memoryview]()

    def stays_inside(buffer: pickle.PickleBuffer) -> bool:
        raw = buffer.raw()
        if raw.nbytes < _SMALL_BYTES:
            return True
        buffers.append(raw)
        return False

    try:
        _Pickler(stream, protocol=5, buffer_callback=stays_inside).dump(data)
    except Exception as error:  # whatever the objects' own methods raise
        return _Parcel(b"", []), f"{type(error).__name__}: {error}"
    return _Parcel(stream.getvalue(), buffers), ""


def _exchanged_headers(
    parcel: _Parcel, problem: str, group: ProcessGroup | None
) -> list[tuple[int, int]]:
    """Tell everyone the size of the pickle (-1: there is none) and the count of buffers."""
    device = get_comm_device(group)
    own = torch.tensor(
        [-1 if problem else len(parcel.stream), len(parcel.buffers)], dtype=torch.int64
    ).to(device)
    headers = [torch.empty_like(own) for _ in range(torch_dist.get_world_size(group))]
    torch_dist.all_gather(headers, own, group)
    return [(int(size), int(count)) for size, count in (header.tolist() for header in headers)]


def _raise_everywhere(problem: str, ranks: list[int], group: ProcessGroup | None) -> None:
    problems: list[str] = [""] * len(ranks)
    torch_dist.all_gather_object(problems, problem, group)
    listed = "; ".join(
        f"rank {rank}: {text}" for rank, text in zip(ranks, problems, strict=True) if text
    )
    raise ResultsError(
        f"objects cannot be pickled, so they cannot be sent: {listed}; "
        "give tensors, arrays, numbers, strings or containers of them"
    )


def _send(parcel: _Parcel, dst: int, group: ProcessGroup | None) -> None:
    if parcel.buffers:
        sizes = torch.tensor([buffer.nbytes for buffer in parcel.buffers], dtype=torch.int64)
        _send_memory([_memory_of(sizes)], dst, group)
    _send_memory([memoryview(parcel.stream), *parcel.buffers], dst, group)


def _send_memory(buffers: Iterable[memoryview], dst: int, group: ProcessGroup | None) -> None:
    """Send buffers one after another, aligned, in pieces of PIECE_BYTES and a rest."""
    stage = torch.empty(PIECE_BYTES, dtype=torch.uint8)
    staged = _memory_of(stage)
    filled = 0
    for buffer in buffers:
        position = 0
        while position < buffer.nbytes:
            step = min(buffer.nbytes - position, PIECE_BYTES - filled)
            staged[filled : filled + step] = buffer[position : position + step]
            filled, position = filled + step, position + step
            if filled == PIECE_BYTES:
                _send_piece(stage, dst, group)
                filled = 0
        # PIECE_BYTES is a multiple of the alignment, so the gap stays inside of the piece
        filled = _aligned(filled)
        if filled == PIECE_BYTES:
            _send_piece(stage, dst, group)
            filled = 0
    if filled:
        _send_piece(stage[:filled], dst, group)


def _memory_of(tensor: Tensor) -> memoryview:
    """Return a view of a CPU tensor's memory, which it keeps alive (no NumPy needed)."""
    memory = (ctypes.c_uint8 * tensor.nbytes).from_address(tensor.data_ptr())
    memory.owner = tensor  # type: ignore[attr-defined]  # only there to keep it alive
    return pickle.PickleBuffer(memory).raw()


def _send_piece(piece: Tensor, dst: int, group: ProcessGroup | None) -> None:
    wire = piece.to(get_comm_device(group))
    _wait_for(torch_dist.P2POp(torch_dist.isend, wire, dst, group))


def _received(src: int, stream_bytes: int, num_buffers: int, group: ProcessGroup | None) -> Any:
    sizes: list[int] = []
    if num_buffers:
        sizes = _receive_memory(_aligned(8 * num_buffers), src, group).view(torch.int64).tolist()
    sizes = [stream_bytes, *sizes[:num_buffers]]
    block = _memory_of(_receive_memory(sum(map(_aligned, sizes)), src, group))
    parts, start = [], 0
    for size in sizes:
        parts.append(block[start : start + size])
        start += _aligned(size)
    return pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301  # sent by a rank of our own


def _receive_memory(size: int, src: int, group: ProcessGroup | None) -> Tensor:
    block = torch.empty(size, dtype=torch.uint8)
    device = get_comm_device(group)
    for start in range(0, size, PIECE_BYTES):
        piece = block[start : start + PIECE_BYTES]
        wire = piece if device.type == "cpu" else torch.empty_like(piece, device=device)
        _wait_for(torch_dist.P2POp(torch_dist.irecv, wire, src, group))
        if wire is not piece:
            piece.copy_(wire)
    return block


def _wait_for(operation: torch_dist.P2POp) -> None:
    # As a batch of one: so NCCL uses the group's own communicator, not one for each pair.
    for work in torch_dist.batch_isend_irecv([operation]):
        work.wait()
