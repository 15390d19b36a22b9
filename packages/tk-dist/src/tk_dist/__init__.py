"""Collectives that also work with one process; launch; devices.

The names are loaded on use, because what holds them imports torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    from .collectives import (
        all_gather,
        all_reduce,
        broadcast,
        gather,
    )
    from .objects import (
        all_gather_object,
        broadcast_object_list,
        gather_object,
    )
    from .results import (
        collect_results,
        collect_results_cpu,
        collect_results_gpu,
    )
    from .spawn import (
        launch,
    )
    from .state import (
        barrier,
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
    from .transfer import (
        cast_data_device,
        get_comm_device,
        get_data_device,
    )

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
    "all_gather",
    "all_gather_object",
    "all_reduce",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "cast_data_device",
    "collect_results",
    "collect_results_cpu",
    "collect_results_gpu",
    "gather",
    "gather_object",
    "get_backend",
    "get_comm_device",
    "get_data_device",
    "get_default_group",
    "get_dist_info",
    "get_local_group",
    "get_local_rank",
    "get_local_size",
    "get_rank",
    "get_world_size",
    "init_local_group",
    "is_distributed",
    "is_main_process",
    "launch",
    "master_only",
]

_MODULE_OF = {
    "all_gather": "collectives",
    "all_gather_object": "objects",
    "all_reduce": "collectives",
    "barrier": "state",
    "broadcast": "collectives",
    "broadcast_object_list": "objects",
    "cast_data_device": "transfer",
    "collect_results": "results",
    "collect_results_cpu": "results",
    "collect_results_gpu": "results",
    "gather": "collectives",
    "gather_object": "objects",
    "get_backend": "state",
    "get_comm_device": "transfer",
    "get_data_device": "transfer",
    "get_default_group": "state",
    "get_dist_info": "state",
    "get_local_group": "state",
    "get_local_rank": "state",
    "get_local_size": "state",
    "get_rank": "state",
    "get_world_size": "state",
    "init_local_group": "state",
    "is_distributed": "state",
    "is_main_process": "state",
    "launch": "spawn",
    "master_only": "state",
}


def __getattr__(name: str) -> Any:
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
