"""Hooks: what acts at chosen points of a run."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .checkpoint import CheckpointHook as CheckpointHook
    from .early_stopping import EarlyStoppingHook as EarlyStoppingHook
    from .ema import EMAHook as EMAHook
    from .empty_cache import EmptyCacheHook as EmptyCacheHook
    from .hook import Hook as Hook
    from .iter_timer import IterTimerHook as IterTimerHook
    from .logger import LoggerHook as LoggerHook
    from .nan_guard import NaNGuardHook as NaNGuardHook
    from .param_scheduler import ParamSchedulerHook as ParamSchedulerHook
    from .points import HookPoints as HookPoints
    from .profiler import ProfilerHook as ProfilerHook
    from .runtime_info import RuntimeInfoHook as RuntimeInfoHook
    from .sampler_seed import DistSamplerSeedHook as DistSamplerSeedHook
    from .sync_buffer import SyncBuffersHook as SyncBuffersHook
    from .test_time import PrepareTTAHook as PrepareTTAHook
    from .visualization import VisualizationHook as VisualizationHook

_MODULE_OF = {
    "CheckpointHook": "checkpoint",
    "DistSamplerSeedHook": "sampler_seed",
    "EMAHook": "ema",
    "EarlyStoppingHook": "early_stopping",
    "EmptyCacheHook": "empty_cache",
    "Hook": "hook",
    "HookPoints": "points",
    "IterTimerHook": "iter_timer",
    "LoggerHook": "logger",
    "NaNGuardHook": "nan_guard",
    "ParamSchedulerHook": "param_scheduler",
    "PrepareTTAHook": "test_time",
    "ProfilerHook": "profiler",
    "RuntimeInfoHook": "runtime_info",
    "SyncBuffersHook": "sync_buffer",
    "VisualizationHook": "visualization",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
