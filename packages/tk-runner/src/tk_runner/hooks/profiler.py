"""Where the time of training steps goes, by ``torch.profiler``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from tk_dist import is_main_process
from tk_registry import HOOKS, check_values, count, did_you_mean, value_rules

from ..errors import InvalidSettingsError
from ..interfaces.run import RunLike
from .hook import DataBatch, Hook

TRACE_TYPES = ("log_trace", "tb_trace")


def _problems(by_epoch: bool, profile_times: int, on_trace_ready: Any) -> Iterator[tuple[str, str]]:
    """Values that contradict each other, and an unknown way to export a trace."""
    if by_epoch and profile_times > 1:
        text = "profile_times counts iterations; with by_epoch=True it must be 1"
        yield "profile_times", text
    if isinstance(on_trace_ready, Mapping):
        kind = str(on_trace_ready.get("type"))
        if kind not in TRACE_TYPES:
            text = f"on_trace_ready.type={kind!r}: {did_you_mean(kind, TRACE_TYPES)}"
            yield "on_trace_ready.type", text
    elif on_trace_ready is not None and not callable(on_trace_ready):
        text = f"on_trace_ready is a callable or a dict, not {on_trace_ready!r:.80}"
        yield "on_trace_ready", text


@HOOKS.register_module()
@value_rules(_problems, profile_times=count(1))
class ProfilerHook(Hook):
    """Profiles the first epoch of a training, or its first iterations.

    Args:
        by_epoch: profile the first epoch; else ``profile_times`` iterations, or
            fewer where the epoch ends before.
        profile_times: how many iterations; 1 with ``by_epoch``.
        activity_with_cpu: record what the host does.
        activity_with_cuda: record what CUDA devices do.
        schedule: arguments of ``torch.profiler.schedule``.
        on_trace_ready: what to do with a trace: a callable, or a dict with
            ``type``: ``log_trace`` logs a table (other entries are arguments of
            ``table``), ``tb_trace`` writes files to ``dir_name`` (by default
            ``tf_tracing_logs`` in the log folder).
        record_shapes: as in torch, like the next three.
        profile_memory: count what tensors take.
        with_stack: record source lines.
        with_flops: estimate operations.
        json_trace_path: write a trace for ``chrome://tracing`` there.
    """

    priority = "VERY_LOW"

    def __init__(
        self,
        *,
        by_epoch: bool = True,
        profile_times: int = 1,
        activity_with_cpu: bool = True,
        activity_with_cuda: bool = False,
        schedule: Mapping[str, Any] | None = None,
        on_trace_ready: Callable[..., Any] | Mapping[str, Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        json_trace_path: str | None = None,
    ) -> None:
        check_values(ProfilerHook, locals(), InvalidSettingsError)
        self.by_epoch = by_epoch
        self.profile_times = profile_times
        self.json_trace_path = json_trace_path
        self._on_trace_ready = on_trace_ready
        self._has_schedule = schedule is not None
        kinds = torch.profiler.ProfilerActivity
        wanted = ((kinds.CPU, activity_with_cpu), (kinds.CUDA, activity_with_cuda))
        self._options: dict[str, Any] = {
            "activities": [kind for kind, is_wanted in wanted if is_wanted],
            "schedule": torch.profiler.schedule(**schedule) if schedule is not None else None,
            "record_shapes": record_shapes,
            "profile_memory": profile_memory,
            "with_stack": with_stack,
            "with_flops": with_flops,
        }
        self._profiler: Any = None
        self._num_steps = 0

    def before_train(self, runner: RunLike) -> None:
        """Begin."""
        if not self.by_epoch and self.profile_times > runner.max_iters:
            raise InvalidSettingsError(
                f"profile_times={self.profile_times} is more than the {runner.max_iters} "
                "iterations of the training; profile fewer"
            )
        self._num_steps = 0
        self._profiler = torch.profiler.profile(
            **self._options, on_trace_ready=self._handler(runner)
        )
        self._profiler.start()

    def after_train_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """Count a step, and end where enough are profiled."""
        if self._profiler is None:
            return
        self._num_steps += 1
        if not self.by_epoch and self._num_steps == self.profile_times:
            self._finish()
        elif self._has_schedule:
            self._profiler.step()

    def after_train_epoch(self, runner: RunLike) -> None:
        """End with the epoch."""
        self._finish()

    def on_exception(self, runner: RunLike, error: BaseException) -> None:
        """Let go of the profiler, of which a process has one."""
        self._finish()

    def _finish(self) -> None:
        if self._profiler is None:
            return
        profiler, self._profiler = self._profiler, None
        profiler.stop()
        if self.json_trace_path is not None and is_main_process():
            profiler.export_chrome_trace(self.json_trace_path)

    def _handler(self, runner: RunLike) -> Callable[..., Any] | None:
        given = self._on_trace_ready
        if given is None or callable(given):
            return given
        arguments = {key: value for key, value in given.items() if key != "type"}
        if given["type"] == "tb_trace":
            folder = arguments.pop("dir_name", str(Path(runner.log_dir) / "tf_tracing_logs"))
            handler: Callable[..., Any] = torch.profiler.tensorboard_trace_handler(
                folder, **arguments
            )
            return handler

        def log_table(profiler: Any) -> None:
            runner.logger.info("%s", profiler.key_averages().table(**arguments))

        return log_table
