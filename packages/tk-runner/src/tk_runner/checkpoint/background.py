"""Writing a checkpoint while the training goes on: copied first, written by a thread.

The copy goes into memory that is used again by the next one. One write is under
way at a time; what follows a write, such as moving the pointer, is a part of it,
so that the order on the disk is that of a save that waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import torch

from .plain import plain_values


class BackgroundWriter:
    """Does one write at a time in a thread; an error comes up at the next call."""

    def __init__(self) -> None:
        self._staging = Staging()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def start(
        self, checkpoint: Mapping[str, Any], write: Callable[[Mapping[str, Any]], None]
    ) -> None:
        """Copy ``checkpoint`` and begin to write the copy; waits for the write before.

        Args:
            checkpoint: what to write; it may change once this returns.
            write: writes a content and does what follows from that.

        Raises:
            NotPlainError: something in it is neither a tensor nor a plain value.
            Exception: of any kind, from the write before.
        """
        self.finish()
        content = self._staging.copy_of(checkpoint)
        # Not a daemon: a process that ends waits for it.
        self._thread = threading.Thread(
            target=self._do, args=(content, write), name="tk-checkpoint-writer"
        )
        self._thread.start()

    def _do(self, content: Mapping[str, Any], write: Callable[[Mapping[str, Any]], None]) -> None:
        try:
            write(content)
        except BaseException as error:
            self._error = error

    def finish(self) -> None:
        """Wait for the write that is under way; raises what ended it."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        error, self._error = self._error, None
        if error is not None:
            raise error


class Staging:
    """Copies of contents on the CPU, in memory that is kept from one to the next."""

    def __init__(self) -> None:
        self._buffers: dict[str, torch.Tensor] = {}
        self._waits_for_cuda = False

    def copy_of(self, checkpoint: Mapping[str, Any]) -> dict[str, Any]:
        """A content that shares nothing with ``checkpoint``; it is valid until the next call."""
        used: dict[str, torch.Tensor] = {}
        content: dict[str, Any] = self._copied(plain_values(checkpoint), "", used)
        self._buffers = used  # what is not used any more is freed
        if self._waits_for_cuda:
            torch.cuda.synchronize()  # copies from a GPU into pinned memory do not wait
        return content

    def _copied(self, value: Any, path: str, used: dict[str, torch.Tensor]) -> Any:
        if isinstance(value, torch.Tensor):
            used[path] = self._filled(path, value)
            return used[path]
        if isinstance(value, dict):
            copied = type(value)()
            for key, entry in value.items():
                copied[key] = self._copied(entry, f"{path}/{key!r}", used)
            if hasattr(value, "_metadata"):
                copied._metadata = value._metadata  # type: ignore[attr-defined]
            return copied
        if isinstance(value, (list, tuple)):
            return type(value)(
                self._copied(entry, f"{path}/{place}", used) for place, entry in enumerate(value)
            )
        return value

    def _filled(self, path: str, value: torch.Tensor) -> torch.Tensor:
        buffer = self._buffers.get(path)
        self._waits_for_cuda |= value.is_cuda
        if value.layout != torch.strided:
            return value.cpu().clone()
        if buffer is None or buffer.shape != value.shape or buffer.dtype != value.dtype:
            buffer = torch.empty(value.shape, dtype=value.dtype, pin_memory=value.is_cuda)
        return buffer.copy_(value, non_blocking=value.is_cuda)
