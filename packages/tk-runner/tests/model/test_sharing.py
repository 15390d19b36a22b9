"""The state of rank 0's module on every rank."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tk_dist import get_rank, launch
from tk_runner.model.sharing import share_state


class Counting(nn.Module):
    """Keeps a number, or what it is given, beside its weights."""

    def __init__(self, extra: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(1, 1)
        self.extra = extra

    def get_extra_state(self) -> Any:
        return self.extra

    def set_extra_state(self, state: Any) -> None:
        self.extra = state


@pytest.mark.parametrize(
    "make_extra", [lambda rank: {"calls": rank}, lambda rank: torch.ones(rank)]
)
def test_extra_state_of_any_kind_is_no_obstacle_with_one_process(make_extra: Any) -> None:
    model = Counting(make_extra(1))
    before = model.linear.weight.detach().clone()

    share_state(model)

    assert torch.equal(model.linear.weight, before)


def test_weights_and_extra_state_of_rank_0_reach_the_others() -> None:
    def job() -> tuple[float, Any, Any]:
        model = nn.Sequential(Counting({"calls": get_rank()}), Counting(torch.ones(2) * get_rank()))
        with torch.no_grad():
            model[0].linear.weight.fill_(get_rank())
        share_state(model)
        return float(model[0].linear.weight.detach()), model[0].extra, model[1].extra.tolist()

    assert launch(job, 2) == [(0.0, {"calls": 0}, [0.0, 0.0])] * 2
