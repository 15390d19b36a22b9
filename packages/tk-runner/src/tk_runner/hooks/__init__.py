"""Hooks: what acts at chosen points of a run."""

from .checkpoint import CheckpointHook
from .early_stopping import EarlyStoppingHook
from .ema import EMAHook
from .empty_cache import EmptyCacheHook
from .hook import Hook
from .iter_timer import IterTimerHook
from .logger import LoggerHook
from .nan_guard import NaNGuardHook
from .param_scheduler import ParamSchedulerHook
from .points import HookPoints
from .runtime_info import RuntimeInfoHook
from .sampler_seed import DistSamplerSeedHook
from .sync_buffer import SyncBuffersHook

__all__ = [
    "CheckpointHook",
    "DistSamplerSeedHook",
    "EMAHook",
    "EarlyStoppingHook",
    "EmptyCacheHook",
    "Hook",
    "HookPoints",
    "IterTimerHook",
    "LoggerHook",
    "NaNGuardHook",
    "ParamSchedulerHook",
    "RuntimeInfoHook",
    "SyncBuffersHook",
]
