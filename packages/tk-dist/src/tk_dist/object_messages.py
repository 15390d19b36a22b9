"""The way of objects between ranks.

To one rank (``gather_pickled``) large buffers are sent from where they lie, in pieces
of bounded size, into one block on the receiving rank; the objects there are views of
that block. So the extra memory is the received data itself, and the sender's is one
piece. To all ranks go whole pickles, which are small as a rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

import torch
import torch.distributed as torch_dist
from torch import Tensor

from .backend_devices import get_comm_device
from .device import get_device
from .errors import ResultsError
from .pickles import Pickled, memory_of, pack, unpack

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

PIECE_BYTES = 4 << 20  # measured on loopback: 1 to 16 MB are equal, below it calls cost
_ALIGNMENT = 64  # what NumPy and torch align their own memory to


def gather_pickled(data: Any, dst: int, group: ProcessGroup | None) -> list[Any] | None:
    """Return every rank's object on the (global) rank ``dst``, ``None`` elsewhere.

    Raises:
        ResultsError: an object cannot be pickled; every rank raises it.
    """
    ranks = torch_dist.get_process_group_ranks(group or torch_dist.group.WORLD)
    me = torch_dist.get_rank()
    is_receiver = me == dst
    pickled = Pickled(memoryview(b""), [])
    if not is_receiver:
        pickled = pack(data, keep_buffers=True, to_cpu=True)
    headers = _exchanged_headers(pickled, group)
    if not is_receiver:
        _send(pickled, dst, group)
        return None
    own = on_cpu(data)
    return [
        own if rank == dst else _received(rank, *header, group)
        for rank, header in zip(ranks, headers, strict=True)
    ]


def on_cpu(data: Any) -> Any:
    """Return an object as another rank would receive it: without memory of an accelerator."""
    if get_device() == "cpu":
        return data
    pickled = pack(data, keep_buffers=True, to_cpu=True)
    return data if pickled.problem else unpack(pickled.stream, pickled.buffers)


def all_gather_pickled(data: Any, group: ProcessGroup | None) -> list[Any]:
    """Return every rank's object on all ranks, in rank order.

    Raises:
        ResultsError: an object cannot be pickled; every rank raises it.
    """
    pickled = pack(data, to_cpu=True)
    sizes = [size for size, _ in _exchanged_headers(pickled, group)]
    own = torch.zeros(max(sizes), dtype=torch.uint8)
    memory_of(own)[: pickled.stream.nbytes] = pickled.stream
    wire = own.to(get_comm_device(group))
    parts = [torch.empty_like(wire) for _ in sizes]
    torch_dist.all_gather(parts, wire, group)
    memories = [memory_of(part.cpu()) for part in parts]
    return [unpack(memory[:size], []) for memory, size in zip(memories, sizes, strict=True)]


def broadcast_pickled(data: Any, src: int, group: ProcessGroup | None) -> Any:
    """Return the object of the (global) rank ``src`` on all ranks.

    Raises:
        ResultsError: the object cannot be pickled; every rank raises it.
    """
    is_source = torch_dist.get_rank() == src
    pickled = pack(data) if is_source else Pickled(memoryview(b""), [])
    size = max(size for size, _ in _exchanged_headers(pickled, group))
    own = torch.empty(size, dtype=torch.uint8)
    if is_source:
        memory_of(own)[:] = pickled.stream
    wire = own.to(get_comm_device(group))
    torch_dist.broadcast(wire, src, group)
    return data if is_source else unpack(memory_of(wire.cpu()), [])


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _exchanged_headers(pickled: Pickled, group: ProcessGroup | None) -> list[tuple[int, int]]:
    """Tell everyone the size of the pickle (-1: there is none) and the count of buffers.

    Raises:
        ResultsError: a rank has a problem; every rank raises it.
    """
    header = [-1 if pickled.problem else pickled.stream.nbytes, len(pickled.buffers)]
    own = torch.tensor(header, dtype=torch.int64, device=get_comm_device(group))
    gathered = [torch.empty_like(own) for _ in range(torch_dist.get_world_size(group))]
    torch_dist.all_gather(gathered, own, group)
    headers = [(int(size), int(count)) for size, count in (each.tolist() for each in gathered)]
    if any(size < 0 for size, _ in headers):
        _raise_everywhere(pickled.problem, group)
    return headers


def _raise_everywhere(problem: str, group: ProcessGroup | None) -> NoReturn:
    problems = all_gather_pickled(problem, group)
    ranks = torch_dist.get_process_group_ranks(group or torch_dist.group.WORLD)
    listed = "; ".join(
        f"rank {rank}: {text}" for rank, text in zip(ranks, problems, strict=True) if text
    )
    raise ResultsError(
        f"objects cannot be pickled, so they cannot be sent: {listed}; "
        "give tensors, arrays, numbers, strings or containers of them"
    )


def _send(pickled: Pickled, dst: int, group: ProcessGroup | None) -> None:
    if pickled.buffers:
        sizes = torch.tensor([buffer.nbytes for buffer in pickled.buffers], dtype=torch.int64)
        _send_memory([memory_of(sizes)], dst, group)
    _send_memory([pickled.stream, *pickled.buffers], dst, group)


def _send_memory(buffers: Iterable[memoryview], dst: int, group: ProcessGroup | None) -> None:
    """Send buffers one after another, aligned, in pieces of PIECE_BYTES and a rest."""
    stage = torch.empty(PIECE_BYTES, dtype=torch.uint8)
    staged = memory_of(stage)
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


def _send_piece(piece: Tensor, dst: int, group: ProcessGroup | None) -> None:
    wire = piece.to(get_comm_device(group))
    _wait_for(torch_dist.P2POp(torch_dist.isend, wire, dst, group))


def _received(src: int, stream_bytes: int, num_buffers: int, group: ProcessGroup | None) -> Any:
    sizes: list[int] = []
    if num_buffers:
        sizes = _receive_memory(_aligned(8 * num_buffers), src, group).view(torch.int64).tolist()
    sizes = [stream_bytes, *sizes[:num_buffers]]
    block = memory_of(_receive_memory(sum(map(_aligned, sizes)), src, group))
    parts, start = [], 0
    for size in sizes:
        parts.append(block[start : start + size])
        start += _aligned(size)
    return unpack(parts[0], parts[1:])


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
