"""Checkpoints of a run: what is written when, and what is taken back.

The state itself is put together in `state`; files are read and written by the
checkpoint package. Hooks may change both what is written and what is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn

from tk_dist import barrier, is_main_process
from tk_fileio import join_path

from ..checkpoint import (
    CheckpointError,
    load_weights,
    read_checkpoint,
    save_checkpoint,
    weights_of,
    write_last_checkpoint,
)
from ..checkpoint.weights import WITHOUT_WRAPPER, KeyRules
from ..errors import NotConfiguredError
from ..interfaces.loops import TrainLoopLike
from ..interfaces.run import RunLike
from .state import collect_state, restore_state


def save(
    run: RunLike,
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


def save_where_it_stands(run: RunLike, loop: TrainLoopLike) -> str:
    """Write ``iter_<n>.pth`` where training stands; no rank goes on before the file is there.

    A rank that left earlier would let a launcher end the one that still writes.
    """
    path = save(run, run.work_dir, f"iter_{loop.state_dict()['iter']}.pth")
    barrier()
    return path


def save_after_failed_validation(run: RunLike, error: BaseException) -> None:
    """Keep what was trained before a validation that failed.

    With several ranks nothing is written: the others may not come to help.
    """
    loop = run.train_loop
    if loop is None or not loop.is_validating or not isinstance(error, Exception):
        return
    if run.world_size > 1:
        return
    try:
        path = save_where_it_stands(run, loop)
    except Exception as second:  # the first error is the one to be told
        run.logger.warning("what was trained could not be saved: %s", second)
        return
    run.logger.warning(
        "the validation failed; saved %s before it; correct the cause and resume", path
    )


def load(
    run: RunLike,
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
    run: RunLike, checkpoint: dict[str, Any], strict: bool, revise_keys: KeyRules
) -> None:
    model: nn.Module = run.strategy.unwrap(run.model)
    weights = weights_of(checkpoint)
    load_weights(model, weights, strict=strict, revise_keys=revise_keys, logger=run.logger)


def resume(
    run: RunLike,
    filename: str,
    resume_optimizer: bool = True,
    resume_param_scheduler: bool = True,
    map_location: Any = "cpu",
) -> None:
    """Take everything of a checkpoint, verified record by record.

    Raises:
        NotConfiguredError: the run does not train, so there is nothing to go on with.
    """
    loop = run.train_loop
    if loop is None:
        raise NotConfiguredError(
            "resume() goes on with a training, and this run has not begun one; use "
            "load_checkpoint() for the weights, or resume= and train()"
        )
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
        loop,
        checkpoint,
        resume_optimizer=resume_optimizer,
        resume_param_scheduler=resume_param_scheduler,
    )
    inside = loop.state_dict().get("loader", {}).get("batches", 0)
    for reason in loop.dataloader.resume_warnings() if inside else ():
        run.logger.warning("the data of this epoch may not go on exactly: %s", reason)
    run.logger.info("resumed from %s: epoch %d, iteration %d", filename, loop.epoch, loop.iter)
