"""What a single wrapper and several wrappers have in common."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from optim_cases import make_optimizer
from torch import nn

from tk_logging import MessageHub
from tk_optim import AnyOptimWrapper, BaseOptimWrapper, OptimWrapper, OptimWrapperDict


class Plain(BaseOptimWrapper):
    """A wrapper of somebody's own that counts no batches."""

    def update_params(self, loss: torch.Tensor, **kwargs: Any) -> None:
        self.backward(loss)
        self.step()

    def backward(self, loss: torch.Tensor, **kwargs: Any) -> None:
        loss.backward()

    def zero_grad(self, **kwargs: Any) -> None:
        self.optimizer.zero_grad()

    def step(self, **kwargs: Any) -> None:
        self.optimizer.step()


def test_a_single_wrapper_is_the_only_one_in_itself() -> None:
    wrapper = OptimWrapper(make_optimizer())

    assert dict(wrapper.wrappers) == {"": wrapper}


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_whoever_asks_for_pending_gradients_need_not_know_which_it_is(several: bool) -> None:
    single = OptimWrapper(make_optimizer(), accumulative_counts=2)
    wrapper: AnyOptimWrapper = OptimWrapperDict(a=single) if several else single
    single.update_params(single.param_groups[0]["params"][0].sum())

    assert wrapper.has_pending_gradients
    assert wrapper.finish_group()
    assert single.update_count == 1


def test_a_wrapper_that_counts_no_batches_has_nothing_to_finish(hub: MessageHub) -> None:
    wrapper = Plain(make_optimizer())
    wrapper.initialize_count_status(nn.Module(), 0, 10)
    wrapper.update_params(wrapper.param_groups[0]["params"][0].sum())
    wrapper.message_hub = hub

    assert not wrapper.has_pending_gradients
    assert not wrapper.finish_group()
    assert wrapper.message_hub is hub
