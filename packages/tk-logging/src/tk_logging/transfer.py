"""Bringing a tensor of numbers to the host: the only place that reads a device.

Either now, which waits for the device, or by a copy into pinned memory that an
event completes later. Nothing here knows what the numbers mean.
"""

from __future__ import annotations

import sys
from typing import Any, Protocol


class Copy(Protocol):
    """Numbers on their way to the host."""

    def is_done(self) -> bool:
        """Whether ``numbers`` would not wait."""

    def numbers(self) -> list[float]:
        """All numbers; waits for those that are still on their way."""


class Arrived:
    """Numbers that are on the host already."""

    def __init__(self, numbers: list[float]) -> None:
        self._numbers = numbers

    def is_done(self) -> bool:
        """Always."""
        return True

    def numbers(self) -> list[float]:
        """The numbers; never waits."""
        return self._numbers


class InFlight:
    """A copy into pinned memory, complete when its event says so."""

    def __init__(self, source: Any, target: Any, event: Any) -> None:
        self._source = source  # must stay alive until the copy is complete
        self._target = target
        self._event = event

    def is_done(self) -> bool:
        """Ask the event, without waiting."""
        return bool(self._event.query())

    def numbers(self) -> list[float]:
        """Wait for the event, then read host memory."""
        self._event.synchronize()
        numbers: list[float] = self._target.tolist()
        return numbers


def read_now(tensor: Any) -> Copy:
    """Read the numbers of a one-dimensional tensor; waits for its device."""
    return Arrived(tensor.tolist())


def start_copy(tensor: Any) -> Copy:
    """Begin to read without waiting; on a device that cannot, read now."""
    torch = sys.modules["torch"]
    device = tensor.device
    # cpu has nothing to wait for; mps shares memory with the host and has no pinned copy
    runtime = None if device.type in ("cpu", "mps") else getattr(torch, device.type, None)
    if runtime is None or not hasattr(runtime, "Event"):
        return read_now(tensor)
    target = torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu", pin_memory=True)
    target.copy_(tensor, non_blocking=True)
    event = runtime.Event()
    event.record(runtime.current_stream(device))
    return InFlight(tensor, target, event)
