"""Results of all ranks on rank 0, in the order of the data set.

Results travel through the process group; a folder is used only when one is
named. ``None`` is a result like any other. With the samples' indices, the order is
theirs and a sample that two ranks evaluated counts once; without, item i of
rank 0 is followed by item i of rank 1, and so on, as a round-robin split lays them.
"""

from __future__ import annotations

import itertools
import logging
import pickle
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import DeviceError, ResultsError
from .host_group import barrier
from .objects import all_gather_object, broadcast_object_list, gather_object
from .state import check_member, first_rank, get_dist_info

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

Part = tuple[list[Any], "list[int] | None"]

_ABSENT = object()
_DEVICES = ("cpu", "cuda", "gpu", "mlu", "mps", "musa", "npu", "xpu")
_log = logging.getLogger("tk.dist")


def collect_results(
    results: list[Any],
    size: int,
    device: str = "cpu",
    tmpdir: str | None = None,
    *,
    indices: Sequence[int] | None = None,
    group: ProcessGroup | None = None,
) -> list[Any] | None:
    """Return the results of all ranks on rank 0 of the group, ``None`` on the others.

    Args:
        results: this rank's part; parts may differ in length and may be empty.
        size: length of the data set; what the parts hold beyond it (padding) is cut.
        device: "cpu" or a kind of accelerator. Kept for callers who name one: the
            way is the group's own in each case. Of several ranks, tensors arrive on the CPU.
        tmpdir: a folder that all ranks see, to go through files instead.
        indices: the sample's position in the data set, one for each result. Then
            the order is theirs, a sample that came twice counts once, and samples
            that nobody brought are reported in a warning.
        group: ranks that take part; ``None`` is all of them.

    Raises:
        ResultsError: indices that do not fit (their number, a position outside of
            the data set), or results that cannot be pickled. With several ranks
            all of them raise it.
        DeviceError: no such device, or a folder together with an accelerator.
        FileNotFoundError: ``tmpdir`` is not the same folder on all ranks.
    """
    _check_way(device, tmpdir)
    rank, world_size = get_dist_info(group)
    check_member(group, world_size)
    part: Part = (results, None if indices is None else [int(index) for index in indices])
    problem = _problem(part, size)
    if world_size == 1:
        if problem:
            raise ResultsError(problem)
        return results[:size] if indices is None else _merged([part], size)
    _check_everywhere(problem, part, group)
    if tmpdir is not None:
        parts = _through_folder(part, Path(tmpdir), group)
    else:
        parts = gather_object(part, first_rank(group), group)
    return _merged(parts, size) if rank == 0 and parts is not None else None


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


def _problem(part: Part, size: int) -> str:
    results, indices = part
    if indices is None:
        return ""
    if len(indices) != len(results):
        return f"{len(results)} results came with {len(indices)} indices; give one index for each"
    outside = [index for index in indices if not 0 <= index < size]
    if outside:
        return (
            f"index {outside[0]} is outside of a data set of {size} samples; "
            "give positions in the data set, and its length as size"
        )
    return ""


def _check_everywhere(problem: str, part: Part, group: ProcessGroup | None) -> None:
    """Raise on all ranks what one of them found, so that none waits for it."""
    told = all_gather_object((problem, part[1] is None), group)
    texts = [f"rank {rank}: {text}" for rank, (text, _) in enumerate(told) if text]
    without = [str(rank) for rank, (_, has_none) in enumerate(told) if has_none]
    if 0 < len(without) < len(told):
        texts.append(
            f"rank {', '.join(without)} gave no indices, but others did; "
            "give them on all ranks (an empty list with an empty part), or on none"
        )
    if texts:
        raise ResultsError("; ".join(texts))


def _merged(parts: Sequence[Part], size: int) -> list[Any]:
    if any(indices is not None for _, indices in parts):
        return _ordered_by_index(parts, size)
    rows = itertools.zip_longest(*(results for results, _ in parts), fillvalue=_ABSENT)
    return [entry for row in rows for entry in row if entry is not _ABSENT][:size]


def _ordered_by_index(parts: Sequence[Part], size: int) -> list[Any]:
    by_index: dict[int, Any] = {}
    for results, indices in parts:
        for index, result in zip(indices or (), results, strict=True):
            by_index.setdefault(index, result)
    if len(by_index) < size:
        missing = [index for index in range(size) if index not in by_index]
        shown = ", ".join(map(str, missing[:10])) + (", ..." if len(missing) > 10 else "")
        _log.warning("no rank brought a result for %d of %d samples: %s", len(missing), size, shown)
    return [by_index[index] for index in sorted(by_index)]


def _through_folder(part: Part, folder: Path, group: ProcessGroup | None) -> list[Part] | None:
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
