"""Checkpoints of a run: what is written when, and what is taken back.

The state itself is put together in `state`; files are read and written by the
checkpoint package. Hooks may change both what is written and what is read.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from tk_dist import barrier, is_main_process
from tk_fileio import join_path

from ..checkpoint import (
    CheckpointError,
    KeyMismatchError,
    load_weights,
    read_checkpoint,
    save_checkpoint,
    weights_of,
    write_last_checkpoint,
)
from ..checkpoint.background import BackgroundWriter
from ..checkpoint.weights import WITHOUT_WRAPPER, KeyRules
from ..errors import NonFiniteLossError, NotConfiguredError
from ..hooks import CheckpointHook
from ..hooks.nan_guard import first_broken_loss
from ..interfaces.loops import TrainLoopLike
from ..interfaces.run import RunLike
from .agreement import check_that_all_ranks_see, verify_once
from .starting_point import Place
from .state import collect_state, restore_state


def save(
    run: RunLike,
    out_dir: str,
    filename: str,
    *,
    is_latest: bool = True,
    backend_args: Mapping[str, Any] | None = None,
    writer: BackgroundWriter | None = None,
    then: Callable[[], None] | None = None,
    **content: Any,
) -> str:
    """Write the state of the run to ``out_dir/filename``; every rank must call.

    Args:
        run: the run.
        out_dir: folder or URI.
        filename: name in it.
        is_latest: whether a resumed run shall begin from this file; weights that hold
            NaN or infinity are refused then.
        backend_args: of the file backend.
        writer: writes a copy of the state while the training goes on; by default
            the file is there when this returns.
        then: called on rank 0 once the file and the pointer stand.
        **content: goes to `collect_state`.

    Returns:
        The path, on every rank.

    Raises:
        NonFiniteLossError: the weights cannot be trained any further.
    """
    if is_latest:
        _refuse_broken_weights(run)
    path = join_path(out_dir, filename)
    checkpoint = collect_state(run, **content)
    run.call_hook("before_save_checkpoint", checkpoint=checkpoint)

    def write(state: Mapping[str, Any]) -> None:
        save_checkpoint(state, path, backend_args=backend_args)
        if is_latest:
            write_last_checkpoint(run.work_dir, path)
        if then is not None:
            then()

    if is_main_process():
        if writer is None:
            write(checkpoint)
        else:
            writer.start(checkpoint, write)
    return path


def _refuse_broken_weights(run: RunLike) -> None:
    """A run that is resumed must find the last good checkpoint, not one that is beyond repair."""
    parameters = [weight.detach() for weight in run.model.parameters() if weight.numel()]
    floating = [weight for weight in parameters if weight.is_floating_point()]
    if not floating:
        return
    # The largest of each, not its length, which half precision could not hold.
    largest = torch._foreach_norm(floating, float("inf"))
    if bool(torch.isfinite(torch.stack([norm.float() for norm in largest])).all()):
        return
    loop = run.train_loop
    where = first_broken_loss(run.message_hub, loop.state_dict()["iter"]) if loop else None
    raise NonFiniteLossError(
        f"the weights hold NaN or infinity{f': {where}' if where else ''}. No checkpoint is "
        "written over the last good one: lower the learning rate or clip gradients "
        "(optim_wrapper.clip_grad), and go on from it with resume=True"
    )


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


def places(run: RunLike) -> list[Place]:
    """Where checkpoints of the run may lie: its work folder, and where its hooks write."""
    hooks = [hook for hook in run.hooks if isinstance(hook, CheckpointHook)]
    elsewhere = [(hook.folder_of(run), hook.backend_args) for hook in hooks]
    return [(run.work_dir, None), *(place for place in elsewhere if place[0] != run.work_dir)]


def load(
    run: RunLike,
    filename: str,
    map_location: Any = "cpu",
    strict: bool = False,
    revise_keys: KeyRules = WITHOUT_WRAPPER,
) -> dict[str, Any]:
    """Take the weights of a checkpoint, verified, and report what did not fit.

    Raises:
        KeyMismatchError: no weight fits, or ``strict`` and one does not.
    """
    checkpoint = read_checkpoint(filename, map_location=map_location, verify=True)
    run.call_hook("after_load_checkpoint", checkpoint=checkpoint)
    _take_weights(run, checkpoint, filename, strict, revise_keys)
    run.logger.info("loaded the weights of %s", filename)
    return checkpoint


def _take_weights(
    run: RunLike,
    checkpoint: dict[str, Any],
    filename: str,
    strict: bool = False,
    revise_keys: KeyRules = WITHOUT_WRAPPER,
) -> None:
    model: nn.Module = run.strategy.unwrap(run.model)
    report = load_weights(
        model, weights_of(checkpoint), strict=strict, revise_keys=revise_keys, logger=run.logger
    )
    if report.expected and not report.loaded:
        raise KeyMismatchError(
            f"no weight of {filename} fits the model, so it belongs to another one: {report}"
        )


def resume(
    run: RunLike,
    filename: str,
    resume_optimizer: bool = True,
    resume_param_scheduler: bool = True,
    map_location: Any = "cpu",
    *,
    is_verified: bool = False,
) -> None:
    """Take everything of a checkpoint; every rank must call.

    Rank 0 compares its checksums once for all. Every rank maps the file, so that
    ranks of one machine share the memory that it takes.

    Args:
        run: the run.
        filename: path or URI of a checkpoint; all ranks must see the same file.
        resume_optimizer: whether to take the states of optimizers.
        resume_param_scheduler: whether to take the states of schedules.
        map_location: where tensors go first.
        is_verified: the checksums were compared just before.

    Raises:
        CheckpointError: the file is damaged, holds no state of a run, or a rank
            does not see it.
        KeyMismatchError: no weight fits the model.
        NotConfiguredError: the run does not train, so there is nothing to go on with.
    """
    loop = run.train_loop
    if loop is None:
        raise NotConfiguredError(
            "resume() goes on with a training, and this run has not begun one; use "
            "load_checkpoint() for the weights, or resume= and train()"
        )
    check_that_all_ranks_see(filename)
    if not is_verified:
        verify_once(filename)
    is_remote = "://" in filename
    checkpoint = read_checkpoint(
        filename, map_location=map_location, verify=is_remote and not is_verified
    )
    if not checkpoint.keys() & {"loop", "meta"}:
        raise CheckpointError(
            f"{filename} holds weights and no state of a run, so there is nothing to go on with; "
            "give it as load_from to begin a run with its weights"
        )
    run.is_resuming = True
    run.call_hook("after_load_checkpoint", checkpoint=checkpoint)
    run.is_resuming = False
    _take_weights(run, checkpoint, filename)
    restore_state(
        run,
        loop,
        _independent(checkpoint),
        filename,
        resume_optimizer=resume_optimizer,
        resume_param_scheduler=resume_param_scheduler,
    )
    inside = loop.state_dict().get("loader", {}).get("batches", 0)
    for reason in loop.dataloader.resume_warnings() if inside else ():
        run.logger.warning("the data of this epoch may not go on exactly: %s", reason)
    run.logger.info("resumed from %s: epoch %d, iteration %d", filename, loop.epoch, loop.iter)


def _independent(checkpoint: Mapping[str, Any]) -> dict[str, Any]:
    """The content without the weights, copied out of the mapped file.

    What keeps a part of it, such as an optimizer, would else keep the file on
    the disk after it is deleted.
    """
    weights = ("state_dict", "ema_state_dict")
    return {key: copy.deepcopy(one) for key, one in checkpoint.items() if key not in weights}
