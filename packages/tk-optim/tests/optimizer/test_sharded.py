"""Models that are sharded with ``fully_shard``: the same numbers as whole ones."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.optim import SGD

from tk_dist import launch
from tk_logging import MessageHub
from tk_optim import OptimWrapper

RANKS = 2


def _trained(every: int, *, sharded: bool) -> list[float]:
    """Two weights and the norms before and after clipping, after four batches a rank."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    if sharded:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        fully_shard(model, mesh=init_device_mesh("cpu", (RANKS,)))
    wrapper = OptimWrapper(SGD(model.parameters(), lr=0.1), every, {"max_norm": 0.5})
    wrapper.message_hub = hub = MessageHub("of one run")
    for index in range(4):
        batches = [torch.full((1, 4), 1.0 + rank + index) for rank in range(RANKS)]
        with wrapper.optim_context(model):
            mine = [batches[torch.distributed.get_rank()]] if sharded else batches
            losses = [model(batch).square().mean() for batch in mine]
        wrapper.update_params(torch.stack(losses).mean())
    weight = next(model.parameters()).detach()
    whole = weight.full_tensor() if hasattr(weight, "full_tensor") else weight
    norms = [hub.get_scalar(f"train/{name}").current() for name in ("grad_norm", "grad_norm_clipped")]  # fmt: skip  # noqa: E501
    return [*whole.flatten()[:2].tolist(), *norms]


def _sharded(every: int) -> list[float]:
    return _trained(every, sharded=True)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch's own use of jit
@pytest.mark.parametrize("every", [1, 2])
def test_it_trains_and_clips_as_a_whole_model_does(every: int) -> None:
    first, second = launch(_sharded, RANKS, every, start_method="fork")
    whole = _trained(every, sharded=False)

    assert first == second
    assert first == pytest.approx(whole, rel=1e-5)
