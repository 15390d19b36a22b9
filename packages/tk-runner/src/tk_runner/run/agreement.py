"""What ranks settle about a checkpoint before any of them reads it, so that all fail together."""

from __future__ import annotations

import socket
from pathlib import Path

from tk_dist import all_gather_object, broadcast_object_list, get_world_size, is_main_process

from ..checkpoint import CheckpointError, CorruptCheckpointError, verify_checkpoint
from ..checkpoint.archive import is_archive


def check_that_all_ranks_see(filename: str) -> None:
    """Find out whether every rank has the same local file; every rank must call.

    Raises:
        CheckpointError: some do not see it, or see one of another size; the text
            names them, on every rank.
    """
    if "://" in filename or get_world_size() == 1:
        return
    path = Path(filename).expanduser()
    size = path.stat().st_size if path.is_file() else None
    sizes = all_gather_object((socket.gethostname(), size))
    if len({size for _, size in sizes}) == 1:
        return  # where nobody has it, reading it says so
    listed = "\n- ".join(
        f"rank {rank} on {host}: {'no such file' if size is None else f'{size} bytes'}"
        for rank, (host, size) in enumerate(sizes)
    )
    raise CheckpointError(
        f"to resume, every rank must read the same {filename}; put work_dir on a file system that "
        f"all machines share, or copy the file to each of them. Found:\n- {listed}"
    )


def verify_once(filename: str) -> None:
    """Compare the checksums of a local file on rank 0 alone; every rank must call.

    A file elsewhere is fetched and read by each rank itself.

    Raises:
        CorruptCheckpointError: they differ; on every rank.
    """
    if "://" in filename:
        return
    problem: list[str | None] = [None]
    if is_main_process():
        try:
            path = Path(filename).expanduser()
            if path.is_file() and is_archive(path):
                verify_checkpoint(path)
        except CorruptCheckpointError as error:
            problem = [str(error)]
    broadcast_object_list(problem)
    if problem[0] is not None:
        raise CorruptCheckpointError(problem[0])
