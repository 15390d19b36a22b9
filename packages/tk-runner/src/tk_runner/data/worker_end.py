"""Ending data-loading processes while their queues still work.

Left to the garbage collection, which closes the queues first, each process is
waited for five seconds.
"""

from __future__ import annotations

from torch.utils.data import DataLoader


def end_workers_of(batches: object) -> None:
    """End the processes behind an iteration, or the persistent ones of a torch loader."""
    if isinstance(batches, DataLoader):
        loader, batches = batches, batches._iterator
        loader._iterator = None  # the next iteration starts new ones
    end = getattr(batches, "_shutdown_workers", None)
    if end is not None:
        end()
