"""Everything that a run must remember, as one dict, and its way back.

What each key holds stands in the table of the checkpoint package. Parts give
their own state; here they are only brought together, by rank where they differ.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from tk_dist import gather_object, get_rank, get_world_size
from tk_optim import Progress, restore_schedules

from ..checkpoint import FORMAT_VERSION, MalformedStateError, check_plain
from ..checkpoint.mmengine_format.optimizer import with_parameter_names
from ..data import StatefulLoader
from ..interfaces.loops import TrainLoopLike
from ..interfaces.run import RunLike
from ..loops.loop import length_of
from ..process.seed import capture_random_state, restore_random_state


def collect_state(
    run: RunLike,
    *,
    save_optimizer: bool = True,
    save_param_scheduler: bool = True,
    meta: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The state of the run; every rank must call, rank 0 has the parts of all."""
    loop = run.train_loop.state_dict() if run.train_loop is not None else {"epoch": 0, "iter": 0}
    checkpoint: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "meta": {**_meta(run, loop), **(meta or {})},
        "state_dict": run.strategy.model_state_dict(run.model),
        "message_hub": run.message_hub.state_dict(),
        "loop": loop,
        "hooks": _hook_states(run.hooks),
        "ranks": _by_rank(run),
    }
    if save_optimizer and run.optim_wrapper is not None:
        checkpoint["optimizer"] = run.optim_wrapper.state_dict()
    if save_param_scheduler and run.param_schedulers:
        checkpoint["param_schedulers"] = _schedule_states(run.param_schedulers)
    return checkpoint


def _meta(run: RunLike, loop: Mapping[str, Any]) -> dict[str, Any]:
    loader = getattr(run.train_loop, "dataloader", None)
    dataset_meta = getattr(getattr(loader, "dataset", None), "metainfo", None)
    meta = {
        "epoch": loop["epoch"],
        "iter": loop["iter"],
        "seed": run.seed,
        "experiment_name": run.experiment_name,
        "time": time.strftime("%Y%m%d_%H%M%S"),
        "cfg": run.cfg_text,
        "world_size": get_world_size(),
        "epoch_length": None if loader is None else length_of(loader),
    }
    if dataset_meta:
        meta["dataset_meta"] = dict(dataset_meta)
    return meta


def _by_rank(run: RunLike) -> list[Any]:
    loop = run.train_loop
    own: dict[str, Any] = {"random": loop.random_state if loop else capture_random_state()}
    loader = getattr(loop, "dataloader", None)
    if isinstance(loader, StatefulLoader) and loader.state_differs_by_rank:
        own["loader"] = loader.state_dict()
    if gradients := _pending_gradients(run):
        own["gradients"] = gradients
    if counts := _batch_counts(run.optim_wrapper):
        own["batches"] = counts
    return gather_object(own) or []


def _batch_counts(wrapper: Any) -> dict[str, int]:
    """Batches of each of several wrappers; a single one counts what the loop counts."""
    named = {} if wrapper is None else wrapper.wrappers
    return {name: each.inner_count for name, each in named.items() if name}


def _pending_gradients(run: RunLike) -> dict[str, torch.Tensor]:
    """Gradients of an accumulation group that is not complete; nothing at its boundary.

    Several optimizers have all of theirs saved: the loss of one leaves gradients
    in the parameters of another, which go into that one's next step.
    """
    wrapper = run.optim_wrapper
    if wrapper is None or (len(wrapper.wrappers) == 1 and not wrapper.has_pending_gradients):
        return {}
    model = run.strategy.unwrap(run.model)
    return {
        name: parameter.grad.detach()
        for name, parameter in model.named_parameters()
        if parameter.grad is not None
    }


def check_savable(run: RunLike) -> None:
    """Find out before the first iteration whether the whole state can be saved; on every rank.

    Raises:
        NotPlainError: a state holds more than tensors and plain values; the text
            has the path of each.
    """
    check_plain(collect_state(run))


def _hook_states(hooks: Any) -> dict[str, Any]:
    """States by class name; a second hook of a class gets a number."""
    return {name: state for name, hook in _named(hooks) if (state := hook.state_dict())}


def _named(hooks: Any) -> list[tuple[str, Any]]:
    seen: dict[str, int] = {}
    named = []
    for hook in hooks:
        kind = type(hook).__name__
        seen[kind] = seen.get(kind, 0) + 1
        named.append((kind if seen[kind] == 1 else f"{kind}_{seen[kind]}", hook))
    return named


def _schedule_states(schedulers: Any) -> Any:
    if isinstance(schedulers, Mapping):
        return {name: _schedule_states(one) for name, one in schedulers.items()}
    return [scheduler.state_dict() for scheduler in schedulers]


def restore_state(
    run: RunLike,
    loop: TrainLoopLike,
    checkpoint: Mapping[str, Any],
    filename: str,
    *,
    resume_optimizer: bool = True,
    resume_param_scheduler: bool = True,
) -> None:
    """Bring every part but the weights back; the random numbers come at the next draw.

    Raises:
        CheckpointError: an entry has not the form that its part writes; the text
            has the file and the entry.
    """
    with _restoring(filename, "ranks"):
        own = _own_part(run, checkpoint)

    def restore_randomness() -> None:
        with _restoring(filename, "ranks"):
            restore_random_state(own["random"])

    with _restoring(filename, "loop"):
        position = checkpoint.get("loop") or _loop_of_old(checkpoint)
        if "loader" in own:
            position = {**position, "loader": own["loader"]}
        loop.load_state_dict(position)
    if own:
        loop.restore_randomness(restore_randomness)
    if "message_hub" in checkpoint:
        with _restoring(filename, "message_hub"):
            run.message_hub.load_state_dict(checkpoint["message_hub"])
    states = checkpoint.get("hooks", {})
    for name, hook in _named(run.hooks):
        with _restoring(filename, f"hooks.{name}"):
            if name in states:
                hook.load_state_dict(states[name])
    wrapper = run.optim_wrapper
    if resume_optimizer and "optimizer" in checkpoint and wrapper is not None:
        with _restoring(filename, "optimizer"):
            model = run.strategy.unwrap(run.model)
            wrapper.load_state_dict(with_parameter_names(checkpoint["optimizer"], model))
    if resume_param_scheduler and run.param_schedulers:
        with _restoring(filename, "param_schedulers"):
            progress = _progress(loop, checkpoint)
            _restore_schedules(run, progress, checkpoint.get("param_schedulers", []))
    with _restoring(filename, "ranks"):
        _restore_gradients(run, own.get("gradients", {}))
        wrappers = wrapper.wrappers if wrapper is not None else {}
        for name, count in own.get("batches", {}).items():
            if name in wrappers:
                wrappers[name].initialize_count_status(run.model, count, -1)


@contextmanager
def _restoring(filename: str, key: str) -> Iterator[None]:
    """Give an error about a state's form the file and the entry that it comes from."""
    try:
        yield
    except Exception as error:
        package = type(error).__module__.partition(".")[0]
        if package == "builtins" and not isinstance(error, OSError):
            raise MalformedStateError(
                f"{filename}: the entry {key!r} cannot be restored ({type(error).__name__}: "
                f"{error}); it has not the form that this run writes, so the file was changed or "
                "written by another program"
            ) from error
        # Our own errors know what is wrong, but not in which file; those of users' hooks stay.
        if package.startswith("tk_") and [type(part) for part in error.args] == [str]:
            error.args = (f"{filename}, entry {key!r}: {error.args[0]}",)
        raise


def _own_part(run: RunLike, checkpoint: Mapping[str, Any]) -> Mapping[str, Any]:
    """This rank's part; empty where another number of ranks wrote the file."""
    ranks = checkpoint.get("ranks") or []
    if len(ranks) == get_world_size():
        return dict(ranks[get_rank()])
    run.logger.warning(
        "the checkpoint has random states of %d ranks and this run has %d: random numbers "
        "begin anew from the seed; no sample of the epoch is lost or repeated",
        len(ranks),
        get_world_size(),
    )
    return {}


def _loop_of_old(checkpoint: Mapping[str, Any]) -> dict[str, Any]:
    """The counters of a file that another library wrote; the epoch begins at its first batch."""
    meta = checkpoint.get("meta", {})
    return {"epoch": meta.get("epoch", 0), "iter": meta.get("iter", 0)}


def _restore_schedules(run: RunLike, progress: Progress, states: Any) -> None:
    """Each schedule by its kind; the names of several optimizers are the same on both sides."""
    schedules = run.param_schedulers
    named = schedules if isinstance(schedules, Mapping) else {"": schedules}
    states_of = states if isinstance(states, Mapping) else {"": states}
    for name, some in named.items():
        for message in restore_schedules(some, states_of.get(name, []), progress):
            run.logger.warning("%s%s", name and f"{name}: ", message)


def _progress(loop: TrainLoopLike, checkpoint: Mapping[str, Any]) -> Progress:
    saved_length = checkpoint.get("meta", {}).get("epoch_length")
    between_epochs = not checkpoint.get("loop", {}).get("loader", {}).get("batches", 0)
    if saved_length is None and loop.by_epoch and loop.epoch and between_epochs:
        saved_length = loop.iter // loop.epoch  # of a file that does not say it
    return Progress(loop.epoch, loop.iter, length_of(loop.dataloader), saved_length)


def _restore_gradients(run: RunLike, gradients: Mapping[str, torch.Tensor]) -> None:
    if not gradients:
        return
    parameters = dict(run.strategy.unwrap(run.model).named_parameters())
    for name, gradient in gradients.items():
        parameter = parameters.get(name)
        if parameter is None or parameter.shape != gradient.shape:
            raise MalformedStateError(
                f"there is a gradient of shape {tuple(gradient.shape)} for {name!r}, and this "
                f"model has {'no such parameter' if parameter is None else 'another shape'} there; "
                "resume with the model that was saved, or with a checkpoint between two updates"
            )
        parameter.grad = gradient.to(parameter.device, copy=True)
