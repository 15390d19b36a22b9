"""Collectives that also work with one process; launch; devices.

The names are loaded on use, because what holds them imports torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .errors import (
    DataTypeError,
    DeviceError,
    DistError,
    GroupError,
    LauncherError,
    MissingVariableError,
    PeerFailedError,
    RankError,
    RankFailedError,
    ReduceOpError,
    ResultsError,
    ShapeError,
)

if TYPE_CHECKING:
    from .backend_devices import get_comm_device
    from .buckets import all_reduce_dict, all_reduce_params
    from .collectives import all_gather, all_reduce, broadcast, gather
    from .device import (
        get_device,
        get_local_device,
        get_max_cuda_memory,
        get_max_memory,
        get_max_musa_memory,
        is_cuda_available,
        is_dipu_available,
        is_mlu_available,
        is_mps_available,
        is_musa_available,
        is_npu_available,
        is_xpu_available,
        set_local_device,
    )
    from .environments import get_launched_rank, infer_launcher, launcher_environment
    from .failing import failing_rank_first
    from .host_group import barrier
    from .nested_tensors import cast_data_device, get_data_device
    from .objects import all_gather_object, broadcast_object_list, gather_object
    from .parent_death import end_with_parent
    from .results import collect_results, collect_results_cpu, collect_results_gpu
    from .seed import sync_random_seed
    from .setup import close_dist, distributed, init_dist
    from .shared_flag import SharedFlag
    from .spawn import launch
    from .state import (
        get_backend,
        get_default_group,
        get_dist_info,
        get_local_group,
        get_local_rank,
        get_local_size,
        get_rank,
        get_world_size,
        init_local_group,
        is_distributed,
        is_main_process,
        master_only,
    )
    from .watchdog import Watchdog

    __version__: str

__all__ = [
    "DataTypeError",
    "DeviceError",
    "DistError",
    "GroupError",
    "LauncherError",
    "MissingVariableError",
    "PeerFailedError",
    "RankError",
    "RankFailedError",
    "ReduceOpError",
    "ResultsError",
    "ShapeError",
    "SharedFlag",
    "Watchdog",
    "all_gather",
    "all_gather_object",
    "all_reduce",
    "all_reduce_dict",
    "all_reduce_params",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "cast_data_device",
    "close_dist",
    "collect_results",
    "collect_results_cpu",
    "collect_results_gpu",
    "distributed",
    "end_with_parent",
    "failing_rank_first",
    "gather",
    "gather_object",
    "get_backend",
    "get_comm_device",
    "get_data_device",
    "get_default_group",
    "get_device",
    "get_dist_info",
    "get_launched_rank",
    "get_local_device",
    "get_local_group",
    "get_local_rank",
    "get_local_size",
    "get_max_cuda_memory",
    "get_max_memory",
    "get_max_musa_memory",
    "get_rank",
    "get_world_size",
    "infer_launcher",
    "init_dist",
    "init_local_group",
    "is_cuda_available",
    "is_dipu_available",
    "is_distributed",
    "is_main_process",
    "is_mlu_available",
    "is_mps_available",
    "is_musa_available",
    "is_npu_available",
    "is_xpu_available",
    "launch",
    "launcher_environment",
    "master_only",
    "set_local_device",
    "sync_random_seed",
]

_MODULE_OF = {
    "SharedFlag": "shared_flag",
    "Watchdog": "watchdog",
    "all_gather": "collectives",
    "all_gather_object": "objects",
    "all_reduce": "collectives",
    "all_reduce_dict": "buckets",
    "all_reduce_params": "buckets",
    "barrier": "host_group",
    "broadcast": "collectives",
    "broadcast_object_list": "objects",
    "cast_data_device": "nested_tensors",
    "close_dist": "setup",
    "collect_results": "results",
    "collect_results_cpu": "results",
    "collect_results_gpu": "results",
    "distributed": "setup",
    "end_with_parent": "parent_death",
    "failing_rank_first": "failing",
    "gather": "collectives",
    "gather_object": "objects",
    "get_backend": "state",
    "get_comm_device": "backend_devices",
    "get_data_device": "nested_tensors",
    "get_default_group": "state",
    "get_device": "device",
    "get_dist_info": "state",
    "get_launched_rank": "environments",
    "get_local_device": "device",
    "get_local_group": "state",
    "get_local_rank": "state",
    "get_local_size": "state",
    "get_max_cuda_memory": "device",
    "get_max_memory": "device",
    "get_max_musa_memory": "device",
    "get_rank": "state",
    "get_world_size": "state",
    "infer_launcher": "environments",
    "init_dist": "setup",
    "init_local_group": "state",
    "is_cuda_available": "device",
    "is_dipu_available": "device",
    "is_distributed": "state",
    "is_main_process": "state",
    "is_mlu_available": "device",
    "is_mps_available": "device",
    "is_musa_available": "device",
    "is_npu_available": "device",
    "is_xpu_available": "device",
    "launch": "spawn",
    "launcher_environment": "environments",
    "master_only": "state",
    "set_local_device": "device",
    "sync_random_seed": "seed",
}

if not TYPE_CHECKING:  # a type checker that saw it would take any name for public

    def __getattr__(name: str) -> object:
        if name in _MODULE_OF:
            value = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
            globals()[name] = value  # the next look-up does not come here
            return value
        if name == "__version__":
            from importlib.metadata import version  # slow, and seldom asked

            return version("tk-dist")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
