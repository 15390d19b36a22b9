"""Optimizer state sharded over ranks."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.optim import Adam

from tk_dist import launch
from tk_optim import InvalidSettingError, OptimWrapper, ZeroRedundancyOptimizer, build_optim_wrapper

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch's own use of jit


def _model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))


def _trained_by_two_ranks() -> tuple[list[float], int, str]:
    model = nn.parallel.DistributedDataParallel(_model())
    cfg = {"optimizer": {"type": "ZeroRedundancyOptimizer", "optimizer_type": "Adam", "lr": 0.1}}
    wrapper = build_optim_wrapper(model, cfg)
    for _ in range(3):
        wrapper.update_params(model(torch.ones(2, 3)).square().sum())
    state = wrapper.state_dict()
    weights = torch.cat([param.detach().flatten() for param in model.parameters()])
    return weights.tolist(), len(state.get("state", {})), type(wrapper.optimizer).__name__


def test_it_trains_as_the_optimizer_that_it_shards() -> None:
    first, second = launch(_trained_by_two_ranks, 2, start_method="fork")
    model = _model()
    wrapper = OptimWrapper(Adam(model.parameters(), lr=0.1))
    for _ in range(3):
        wrapper.update_params(model(torch.ones(2, 3)).square().sum())
    weights = torch.cat([param.detach().flatten() for param in model.parameters()])

    assert first[0] == second[0] == pytest.approx(weights.tolist(), abs=1e-6)
    assert (first[1], second[1]) == (4, 0)  # the whole state on rank 0
    assert first[2] == "ZeroRedundancyOptimizer"


def test_the_inner_optimizer_must_be_torchs() -> None:
    with pytest.raises(InvalidSettingError, match=r"'Adan' is no torch optimizer; .*'Adam'"):
        ZeroRedundancyOptimizer([nn.Parameter(torch.zeros(1))], "Adan")
    with pytest.raises(TypeError, match="optimizer_type"):
        ZeroRedundancyOptimizer([nn.Parameter(torch.zeros(1))])
