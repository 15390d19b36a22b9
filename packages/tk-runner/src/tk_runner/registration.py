"""Importing this module registers everything that tk-runner offers by name.

It is what the package announces under the entry-point group ``tk.registry``, so a
name that is not found yet brings it in by itself.
"""

from tk_registry import MODEL_WRAPPERS, RUNNERS, STRATEGIES, VISBACKENDS

from . import structures
from .data import collate, sampler, wrappers
from .hooks import (
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
    visualization,
)
from .log_lines import log_processor
from .loops import epoch, iteration, testing, validation
from .model import (
    adapter,
    averaging,
    containers,
    image_preprocessor,
    initializers,
    preprocessor,
    with_loss,
    wrapping,
)
from .model.wrappers import distributed as distributed_wrapper
from .model.wrappers import separate
from .strategy import distributed as distributed_strategy
from .strategy import single_device
from .terminal import screen
from .visualization import visualizer
from .visualization.backends import local, tensorboard

__all__ = [
    "adapter",
    "averaging",
    "checkpoint",
    "collate",
    "containers",
    "distributed_strategy",
    "distributed_wrapper",
    "early_stopping",
    "ema",
    "empty_cache",
    "epoch",
    "image_preprocessor",
    "initializers",
    "iter_timer",
    "iteration",
    "local",
    "log_processor",
    "logger",
    "nan_guard",
    "param_scheduler",
    "preprocessor",
    "profiler",
    "runtime_info",
    "sampler",
    "sampler_seed",
    "screen",
    "separate",
    "single_device",
    "structures",
    "sync_buffer",
    "tensorboard",
    "test_time",
    "testing",
    "validation",
    "visualization",
    "visualizer",
    "with_loss",
    "wrappers",
    "wrapping",
]

_NO_SHARDING = (
    "there is no strategy that shards a model; use DDPStrategy, and ZeroRedundancyOptimizer as "
    "the optimizer to share its state among the ranks"
)
_NO_TRACKER = (
    "no backend for this tracker comes with tk-runner; use TensorboardVisBackend, or derive one "
    "from tk_runner.visualization.BaseVisBackend and register it in VISBACKENDS"
)
for _name in (
    "FSDPStrategy",
    "MMFullyShardedDataParallel",
    "DeepSpeedStrategy",
    "ColossalAIStrategy",
):
    STRATEGIES.advise(_name, _NO_SHARDING)
    MODEL_WRAPPERS.advise(_name, _NO_SHARDING)
for _name in ("Aim", "ClearML", "DVCLive", "MLflow", "Neptune", "Wandb"):
    VISBACKENDS.advise(f"{_name}VisBackend", _NO_TRACKER)
RUNNERS.advise("FlexibleRunner", "use Runner, which takes strategy=... as well")
