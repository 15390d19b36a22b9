"""Importing this registers the hooks by name."""

from . import (
    checkpoint,
    early_stopping,
    ema,
    empty_cache,
    iter_timer,
    logger,
    nan_guard,
    param_scheduler,
    profiler,
    runtime_info,
    sampler_seed,
    sync_buffer,
    test_time,
)

__all__ = [
    "checkpoint",
    "early_stopping",
    "ema",
    "empty_cache",
    "iter_timer",
    "logger",
    "nan_guard",
    "param_scheduler",
    "profiler",
    "runtime_info",
    "sampler_seed",
    "sync_buffer",
    "test_time",
]
