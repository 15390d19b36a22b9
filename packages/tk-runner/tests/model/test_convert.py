from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tk_runner.model import convert_sync_batchnorm, revert_sync_batchnorm


def net() -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(2, 2, 1), nn.BatchNorm2d(2), nn.Sequential(nn.BatchNorm1d(2)))


def test_every_batch_norm_becomes_a_synchronising_one_and_plain_again() -> None:
    model = convert_sync_batchnorm(net())
    assert [type(model[1]), type(model[2][0])] == [nn.SyncBatchNorm] * 2

    model = revert_sync_batchnorm(model)
    assert not any(isinstance(one, nn.SyncBatchNorm) for one in model.modules())
    assert model(torch.ones(2, 2, 3, 3)).shape == (2, 2, 3, 3)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize(
    "layer", [{}, {"affine": False}, {"track_running_stats": False}, {"momentum": None}], ids=str
)
def test_a_round_trip_keeps_tensors_flags_and_settings(
    training: bool, dtype: torch.dtype, layer: Any
) -> None:
    before = nn.BatchNorm2d(3, eps=0.1, **layer).to(dtype).train(training)
    state = dict(before.state_dict(keep_vars=True))

    sync = convert_sync_batchnorm(before)
    plain = revert_sync_batchnorm(sync)

    for made in (sync, plain):
        assert made.training is training
        found = dict(made.state_dict(keep_vars=True))
        assert found.keys() == state.keys()
        assert all(found[name] is state[name] for name in state)
        assert (made.eps, made.momentum) == (0.1, before.momentum)


def test_the_train_flag_of_each_layer_is_kept() -> None:
    model = net()
    model[1].eval()

    flags = [one.training for one in model.modules()]

    assert [one.training for one in convert_sync_batchnorm(model).modules()] == flags
    assert [one.training for one in revert_sync_batchnorm(model).modules()] == flags


class Listed(nn.Module):
    """Keeps its layer in a plain list as well."""

    def __init__(self) -> None:
        super().__init__()
        self.n = nn.SyncBatchNorm(2)
        self.layers = [self.n]
        self.nested = {"a": ([self.n, 1],), "b": self.n}
        self.pair = (self.n, "name")
        self.circle: list[Any] = [self.n]
        self.circle.append(self.circle)


def test_layers_in_plain_lists_dicts_and_tuples_are_exchanged_too() -> None:
    model = revert_sync_batchnorm(Listed())

    assert not isinstance(model.n, nn.SyncBatchNorm)
    assert model.layers == [model.n]
    assert model.nested == {"a": ([model.n, 1],), "b": model.n}
    assert model.pair == (model.n, "name")
    assert model.circle[0] is model.n


def test_a_layer_at_two_places_stays_one() -> None:
    norm = nn.BatchNorm1d(2)

    model = convert_sync_batchnorm(nn.ModuleList([norm, norm]))

    assert model[0] is model[1]
    assert isinstance(model[0], nn.SyncBatchNorm)


def test_modules_that_forbid_changes_are_left_alone_where_none_is_needed() -> None:
    class Closed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(1, 1)

        def add_module(self, name: str, module: Any) -> None:
            raise RuntimeError("closed")

        def __setattr__(self, name: str, value: Any) -> None:
            if "linear" in self.__dict__.get("_modules", {}):
                raise RuntimeError("closed")
            super().__setattr__(name, value)

    model = nn.ModuleDict({"closed": Closed(), "norm": nn.SyncBatchNorm(2)})

    assert not isinstance(revert_sync_batchnorm(model)["norm"], nn.SyncBatchNorm)
    assert isinstance(model["closed"], Closed)


def test_a_reverted_norm_takes_inputs_of_any_dimension() -> None:
    norm = revert_sync_batchnorm(nn.SyncBatchNorm(2))

    for shape in [(2, 2), (2, 2, 3), (2, 2, 3, 3), (2, 2, 3, 3, 3)]:
        assert norm(torch.rand(shape)).shape == shape
    with pytest.raises(ValueError, match="2 dimensions or more, got 1"):
        norm(torch.rand(2))


def test_other_implementations_and_lazy_norms_are_refused() -> None:
    with pytest.raises(ValueError, match="sync_bn='mmcv' is not supported; use 'torch'"):
        convert_sync_batchnorm(net(), "mmcv")
    with pytest.raises(ValueError, match="run one batch through the model"):
        convert_sync_batchnorm(nn.Sequential(nn.LazyBatchNorm2d()))


def test_a_model_without_batch_norms_comes_back_itself() -> None:
    model = nn.Linear(1, 1)

    assert convert_sync_batchnorm(model) is revert_sync_batchnorm(model) is model
