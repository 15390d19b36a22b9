"""The names that tk_dist offers are exactly these."""

from __future__ import annotations

import pytest

import tk_dist

NAMES = [
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


def test_the_public_names_are_exactly_these() -> None:
    assert tk_dist.__all__ == NAMES
    assert sorted(NAMES) == NAMES


def test_every_name_can_be_had_and_is_listed() -> None:
    for name in NAMES:
        assert getattr(tk_dist, name).__name__ == name
        assert name in dir(tk_dist)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'reduce'"):
        tk_dist.reduce


def test_the_version_is_that_of_the_distribution() -> None:
    assert tk_dist.__version__.count(".") >= 2
