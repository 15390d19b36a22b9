"""Results of all ranks on rank 0, in the order in which a round-robin split lays them.

Results travel through the process group; a folder is used only when one is
named. ``None`` is a result like any other. Item i of rank 0 is followed by item i of
rank 1, and so on. Whoever knows the samples' indices sends them along and orders by
them, as tk-evaluator does.
"""

from __future__ import annotations

import itertools
import pickle
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import DeviceError
from .host_group import barrier
from .objects import broadcast_object_list, gather_object
from .state import check_member, first_rank, get_dist_info

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

_ABSENT = object()
_DEVICES = ("cpu", "cuda", "gpu", "mlu", "mps", "musa", "npu", "xpu")


def collect_results(
    results: list[Any],
    size: int,
    device: str = "cpu",
    tmpdir: str | None = None,
    *,
    group: ProcessGroup | None = None,
) -> list[Any] | None:
    """Return the results of all ranks on rank 0 of the group, ``None`` on the others.

    Args:
        results: this rank's part; parts may differ in length and may be empty.
        size: length of the data set; what the parts hold beyond it (padding) is cut.
        device: "cpu" or a kind of accelerator. Kept for callers who name one: the
            way is the group's own in each case. Of several ranks, tensors arrive on the CPU.
        tmpdir: a folder that all ranks see, to go through files instead.
        group: ranks that take part; ``None`` is all of them.

    Raises:
        ResultsError: results cannot be pickled; all ranks raise it.
        DeviceError: no such device, or a folder together with an accelerator.
        FileNotFoundError: ``tmpdir`` is not the same folder on all ranks.
    """
    _check_way(device, tmpdir)
    rank, world_size = get_dist_info(group)
    check_member(group, world_size)
    if world_size == 1:
        return results[:size]
    if tmpdir is not None:
        parts = _through_folder(results, Path(tmpdir), group)
    else:
        parts = gather_object(results, first_rank(group), group)
    return _interleaved(parts, size) if rank == 0 and parts is not None else None


def collect_results_cpu(
    result_part: list[Any], size: int, tmpdir: str | None = None
) -> list[Any] | None:
    """Return ``collect_results(result_part, size, "cpu", tmpdir)``."""
    return collect_results(result_part, size, "cpu", tmpdir)


def collect_results_gpu(result_part: list[Any], size: int) -> list[Any] | None:
    """Return ``collect_results(result_part, size, "gpu")``."""
    return collect_results(result_part, size, "gpu")


def _check_way(device: str, tmpdir: str | None) -> None:
    kind = str(device).partition(":")[0]
    if kind not in _DEVICES:
        raise DeviceError(
            f"results cannot be collected on device {device!r}; known: {', '.join(_DEVICES)}; "
            "use 'cpu'"
        )
    if tmpdir is not None and kind != "cpu":
        raise DeviceError(
            f"tmpdir={tmpdir!r} goes through files, which device={device!r} does not; "
            "leave tmpdir out, or use device='cpu'"
        )


def _interleaved(parts: Sequence[list[Any]], size: int) -> list[Any]:
    rows = itertools.zip_longest(*parts, fillvalue=_ABSENT)
    return [entry for row in rows for entry in row if entry is not _ABSENT][:size]


def _through_folder(
    part: list[Any], folder: Path, group: ProcessGroup | None
) -> list[list[Any]] | None:
    """Exchange the parts as files in a private folder below the one given."""
    rank, world_size = get_dist_info(group)
    token = [secrets.token_hex(8)]
    broadcast_object_list(token, first_rank(group), group)
    meeting = folder / f"results_{token[0]}"
    meeting.mkdir(mode=0o700, parents=True, exist_ok=True)
    own = meeting / f"part_{rank}.pkl"
    with own.open("wb") as stream:
        pickle.dump(part, stream, protocol=5)
    barrier(group)
    files = [meeting / f"part_{other}.pkl" for other in range(world_size)]
    missing = [file.name for file in files if rank == 0 and not file.exists()]
    outcome = [missing]
    broadcast_object_list(outcome, first_rank(group), group)
    if outcome[0]:
        own.unlink(missing_ok=True)
        raise FileNotFoundError(
            f"rank 0 does not see {', '.join(outcome[0])} in {meeting}, so tmpdir is not one "
            "folder for all ranks; give a shared one, or leave tmpdir out to go through the group"
        )
    if rank != 0:
        return None
    parts = [pickle.loads(file.read_bytes()) for file in files]  # noqa: S301  # written just now
    for file in files:
        file.unlink()
    meeting.rmdir()
    return parts
