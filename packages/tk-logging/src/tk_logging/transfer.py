"""Bringing a tensor of numbers to the host: the only place that reads a device.

Either by waiting for the device, or by a copy into pinned memory that an event
completes later. Nothing here knows what the numbers mean.
"""

from __future__ import annotations

import sys
from typing import Any


class Copy:
    """Numbers on their way to the host.

    Args:
        target: the tensor to read them from.
        event: says when they are in ``target``; None where reading waits by itself.
        source: kept alive until then.
    """

    def __init__(self, target: Any, event: Any = None, source: Any = None) -> None:
        self._target = target
        self._event = event
        self._source = source

    def is_done(self) -> bool:
        """Whether ``numbers`` would not wait for a copy."""
        return self._event is None or bool(self._event.query())

    def numbers(self) -> list[float]:
        """All numbers, as floats; waits for those that are still on their way."""
        if self._event is not None:
            self._event.synchronize()
        numbers: list[float] = self._target.tolist()
        if type(numbers[0]) is not float:  # whole numbers and truth values
            numbers = [float(number) for number in numbers]
        return numbers


def start_copy(tensor: Any) -> Copy:
    """Begin to copy a one-dimensional tensor without waiting, where its device can do that."""
    torch = sys.modules["torch"]
    device = tensor.device
    # cpu has nothing to wait for; mps shares memory with the host and has no pinned copy
    runtime = None if device.type in ("cpu", "mps") else getattr(torch, device.type, None)
    if runtime is None or not hasattr(runtime, "Event"):
        return Copy(tensor)
    target = torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu", pin_memory=True)
    target.copy_(tensor, non_blocking=True)
    event = runtime.Event()
    event.record(runtime.current_stream(device))
    return Copy(target, event, tensor)
