"""Writing a run's state and taking it back: which file, what is in it, what the hooks change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from torch import nn

from tk_dist import barrier, broadcast_object_list, is_main_process
from tk_fileio import join_path

from ..checkpoint import (
    CheckpointError,
    find_latest_checkpoint,
    load_weights,
    read_checkpoint,
    save_checkpoint,
    weights_of,
    write_last_checkpoint,
)
from ..checkpoint.load import WITHOUT_WRAPPER, KeyRules
from ..interfaces.run import RunnerView
from .state import collect_state, restore_state


class Resumable(RunnerView, Protocol):
    """A run that may begin from a file."""

    def load_checkpoint(self, filename: str, **options: Any) -> dict[str, Any]:
        """Take the weights of a checkpoint."""

    def resume(self, filename: str, **options: Any) -> None:
        """Take everything of a checkpoint."""


def write(
    run: RunnerView,
    out_dir: str,
    filename: str,
    *,
    is_latest: bool = True,
    backend_args: Mapping[str, Any] | None = None,
    **content: Any,
) -> str:
    """Write the state of the run to ``out_dir/filename``; every rank must call.

    Args:
        run: the run.
        out_dir: folder or URI.
        filename: name in it.
        is_latest: whether a resumed run shall begin from this file.
        backend_args: of the file backend.
        **content: goes to `collect_state`.

    Returns:
        The path, on every rank.
    """
    path = join_path(out_dir, filename)
    checkpoint = collect_state(run, **content)
    run.call_hook("before_save_checkpoint", checkpoint=checkpoint)
    if is_main_process():
        save_checkpoint(checkpoint, path, backend_args=backend_args)
        if is_latest:
            write_last_checkpoint(run.work_dir, path)
    return path


def write_here(run: RunnerView) -> str:
    """Write ``iter_<n>.pth`` where training stands; no rank goes on before the file is there.

    A rank that left earlier would let a launcher end the one that still writes.
    """
    path = write(run, run.work_dir, f"iter_{run.train_loop.state_dict()['iter']}.pth")
    barrier()
    return path


def rescue(run: RunnerView, error: BaseException) -> None:
    """Keep what was trained before a validation that failed.

    With several ranks nothing is written: the others may not come to help.
    """
    loop = run.train_loop
    is_ours = isinstance(error, Exception) and getattr(loop, "is_validating", False)
    if not is_ours or run.world_size > 1:
        return
    try:
        path = write_here(run)
    except Exception as second:  # the first error is the one to be told
        run.logger.warning("what was trained could not be saved: %s", second)
        return
    run.logger.warning("the validation failed; saved %s before it; mend it and resume", path)


def begin_from(run: Resumable, load_from: str | None, resume: bool | str) -> None:
    """Load or resume as the run's settings say; nothing where they say nothing."""
    if not resume:
        if load_from is not None:
            run.load_checkpoint(load_from)
        return
    named = resume if isinstance(resume, str) else load_from
    path = named or _newest(run.work_dir)
    if path is None:
        run.logger.info("there is no checkpoint in %s yet: training begins anew", run.work_dir)
        return
    if run.train_loop is None:
        run.load_checkpoint(path)
    else:
        run.resume(path)


def _newest(work_dir: str) -> str | None:
    """The newest whole checkpoint as rank 0 finds it, so that all ranks take the same."""
    answer = [find_latest_checkpoint(work_dir) if is_main_process() else None]
    broadcast_object_list(answer)
    return answer[0]


def load(
    run: RunnerView,
    filename: str,
    map_location: Any = "cpu",
    strict: bool = False,
    revise_keys: KeyRules = WITHOUT_WRAPPER,
) -> dict[str, Any]:
    """Take the weights of a checkpoint, and report what did not fit."""
    checkpoint = read_checkpoint(filename, map_location=map_location)
    run.call_hook("after_load_checkpoint", checkpoint=checkpoint)
    _take_weights(run, checkpoint, strict, revise_keys)
    run.logger.info("loaded the weights of %s", filename)
    return checkpoint


def _take_weights(
    run: RunnerView, checkpoint: dict[str, Any], strict: bool, revise_keys: KeyRules
) -> None:
    model: nn.Module = run.strategy.unwrap(run.model)
    weights = weights_of(checkpoint)
    load_weights(model, weights, strict=strict, revise_keys=revise_keys, logger=run.logger)


def resume(
    run: RunnerView,
    filename: str,
    resume_optimizer: bool = True,
    resume_param_scheduler: bool = True,
    map_location: Any = "cpu",
) -> None:
    """Take everything of a checkpoint, verified record by record."""
    # copied, not mapped: optimizer states would keep a file that is deleted later on the disk
    checkpoint = read_checkpoint(filename, map_location=map_location, verify=True, mmap=False)
    if not checkpoint.keys() & {"loop", "meta"}:
        raise CheckpointError(
            f"{filename} holds weights and no state of a run, so there is nothing to go on with; "
            "give it as load_from to begin a run with its weights"
        )
    run.is_resuming = True
    run.call_hook("after_load_checkpoint", checkpoint=checkpoint)
    run.is_resuming = False
    _take_weights(run, checkpoint, False, WITHOUT_WRAPPER)
    restore_state(
        run,
        checkpoint,
        resume_optimizer=resume_optimizer,
        resume_param_scheduler=resume_param_scheduler,
    )
    loop = run.train_loop
    inside = loop.state_dict().get("loader", {}).get("batches", 0)
    for doubt in loop.dataloader.doubts() if inside else ():
        run.logger.warning("the data of this epoch may not go on exactly: %s", doubt)
    run.logger.info("resumed from %s: epoch %d, iteration %d", filename, loop.epoch, loop.iter)
