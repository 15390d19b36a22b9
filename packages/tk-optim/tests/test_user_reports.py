"""What users of MMEngine reported about optimization, each with the right value."""

from __future__ import annotations

import logging

import pytest
import torch
from optim_cases import follow, make_optimizer, rates
from torch import nn
from torch.optim import SGD

from tk_logging import MessageHub
from tk_optim import AmpOptimWrapper, OptimWrapper, build_optim_wrapper, param_table
from tk_optim.scheduler import CosineAnnealingLR, LinearLR, MultiStepLR, OneCycleLR
from tk_registry import OPTIMIZERS, DefaultScope, Registry


def test_1308_a_warm_up_can_count_updates_instead_of_batches() -> None:
    optimizer = make_optimizer(1.0)
    wrapper = OptimWrapper(optimizer, accumulative_counts=4)
    warmup = LinearLR(wrapper, start_factor=0.5, begin=0, end=2, by_epoch=False, count_updates=True)
    used = []
    for _ in range(3):
        for _ in range(4):
            used += rates(optimizer)
            wrapper.update_params(optimizer.param_groups[0]["params"][0].sum())
            warmup.step()

    assert used == [0.5] * 4 + [1.0] * 8


def test_1308_counting_batches_stays_the_default() -> None:
    optimizer = make_optimizer(1.0)
    wrapper = OptimWrapper(optimizer, accumulative_counts=4)
    warmup = LinearLR(wrapper, start_factor=0.5, begin=0, end=3, by_epoch=False)

    assert follow(optimizer, [warmup], 4) == [0.5, 0.75, 1.0, 1.0]


def test_1542_the_rate_after_a_resume_is_not_multiplied_again() -> None:
    def build() -> tuple[SGD, LinearLR, MultiStepLR]:
        optimizer = make_optimizer(1.0)
        warmup = LinearLR(optimizer, start_factor=0.001, begin=0, end=2, by_epoch=False)
        return optimizer, warmup, MultiStepLR(optimizer, milestones=[5], by_epoch=False)

    optimizer, *schedules = build()
    straight = follow(optimizer, schedules, 8)
    stopped, *saved = build()
    follow(stopped, saved, 3)
    resumed, *loaded = build()
    resumed.load_state_dict(stopped.state_dict())
    for one, state in zip(loaded, saved, strict=True):
        one.load_state_dict(state.state_dict())

    assert follow(resumed, loaded, 5) == straight[3:]


def test_xtuner_211_a_resume_with_a_longer_schedule_follows_it() -> None:
    stopped = make_optimizer(1.0)
    saved = CosineAnnealingLR(stopped, T_max=10, begin=0, end=10, by_epoch=False)
    follow(stopped, [saved], 10)
    resumed = make_optimizer(1.0)
    longer = CosineAnnealingLR(resumed, T_max=20, begin=0, end=20, by_epoch=False)
    resumed.load_state_dict(stopped.state_dict())
    longer.load_state_dict(saved.state_dict())
    whole = make_optimizer(1.0)
    straight = follow(whole, [CosineAnnealingLR(whole, T_max=20, end=20, by_epoch=False)], 20)

    assert follow(resumed, [longer], 10) == straight[10:]


def test_1401_one_cycle_takes_its_total_from_the_window() -> None:
    given, derived = make_optimizer(), make_optimizer()
    first = OneCycleLR(given, eta_max=1, total_steps=10)
    second = OneCycleLR(derived, eta_max=1, begin=0, end=10)

    assert follow(derived, [second], 10) == follow(given, [first], 10)


def test_1515_a_model_that_bypasses_the_context_is_said(caplog: pytest.LogCaptureFixture) -> None:
    model = nn.Linear(1, 1)
    wrapper = AmpOptimWrapper(optimizer=SGD(model.parameters(), lr=0.1), dtype="bfloat16")
    for _ in range(3):
        wrapper.update_params(model(torch.ones(1, 1)).sum())

    assert caplog.text.count("did not run in its context") == 1


def test_1515_a_model_that_uses_the_context_is_not_bothered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = nn.Linear(1, 1)
    wrapper = AmpOptimWrapper(optimizer=SGD(model.parameters(), lr=0.1), dtype="bfloat16")
    with wrapper.optim_context(model):
        loss = model(torch.ones(1, 1)).sum()
    wrapper.update_params(loss)

    assert not caplog.text


def test_mmpretrain_1556_mixed_precision_works_without_a_gpu() -> None:
    model = nn.Linear(2, 2)
    wrapper = AmpOptimWrapper(
        optimizer=SGD(model.parameters(), lr=0.1), dtype="bfloat16", device_type="cpu"
    )
    with wrapper.optim_context(model):
        assert model(torch.ones(1, 2)).dtype == torch.bfloat16


def test_1457_a_layer_that_first_ran_without_gradients_learns_with_the_cache_off() -> None:
    model = nn.Linear(2, 2)
    wrapper = AmpOptimWrapper(
        optimizer=SGD(model.parameters(), lr=0.1), dtype="bfloat16", cache_enabled=False
    )
    with wrapper.optim_context(model):
        assert not torch.is_autocast_cache_enabled()
        with torch.no_grad():
            model(torch.ones(1, 2))
        loss = model(torch.ones(1, 2)).float().sum()
    wrapper.backward(loss)

    assert model.weight.grad is not None


def test_mmdetection_11691_the_norm_is_logged_before_and_after_clipping(hub: MessageHub) -> None:
    model = nn.Linear(2, 1, bias=False)
    wrapper = OptimWrapper(SGD(model.parameters(), lr=0.1), clip_grad={"max_norm": 0.01})
    wrapper.message_hub = hub
    wrapper.update_params((model(torch.tensor([[3e4, 4e4]]))).sum())

    assert hub.get_scalar("train/grad_norm").current() == pytest.approx(5e4)
    assert hub.get_scalar("train/grad_norm_clipped").current() == pytest.approx(0.01, rel=1e-5)


def test_1323_an_optimizer_of_a_downstream_registry_is_found_through_the_scope() -> None:
    child = Registry("optimizer", parent=OPTIMIZERS, scope="downstream_of_1323")

    @child.register_module()
    class Mine(SGD):
        pass

    try:
        with DefaultScope.overwrite_default_scope("downstream_of_1323"):
            wrapper = build_optim_wrapper(
                nn.Linear(1, 1), {"optimizer": {"type": "Mine", "lr": 0.1}}
            )
        named = build_optim_wrapper(
            nn.Linear(1, 1),
            {"optimizer": {"type": "downstream_of_1323.Mine", "lr": 0.1},
             "paramwise_cfg": {"bias_lr_mult": 2.0}},
        )  # fmt: skip
    finally:
        OPTIMIZERS.children.pop("downstream_of_1323", None)

    assert type(wrapper.optimizer) is type(named.optimizer) is Mine
    assert named.get_lr()["lr"] == [0.1, 0.2]


def test_1323_a_name_that_nobody_registered_is_named_in_the_error() -> None:
    with pytest.raises(KeyError, match="NobodysOptimizer"):
        build_optim_wrapper(nn.Linear(1, 1), {"optimizer": {"type": "NobodysOptimizer"}})


def test_750_parts_of_a_model_are_frozen_from_the_config() -> None:
    model = nn.ModuleDict({"backbone": nn.ModuleDict({"stem": nn.Linear(1, 1)}),
                           "head": nn.Linear(1, 1)})  # fmt: skip
    build_optim_wrapper(model, {"optimizer": {"type": "SGD", "lr": 0.1},
                                "paramwise_cfg": {"freeze": ["backbone.stem"]}})  # fmt: skip

    assert [name for name, one in model.named_parameters() if one.requires_grad] == [
        "head.weight", "head.bias",
    ]  # fmt: skip


@pytest.mark.parametrize("paramwise", [None, {"bias_lr_mult": 2.0}])
def test_1245_frozen_parameters_are_not_changed(paramwise: dict | None) -> None:
    model = nn.Sequential(nn.Linear(1, 1).requires_grad_(False), nn.Linear(1, 1))
    before = [param.clone() for param in model[0].parameters()]
    wrapper = build_optim_wrapper(
        model, {"optimizer": {"type": "SGD", "lr": 0.1, "weight_decay": 0.1},
                "paramwise_cfg": paramwise}
    )  # fmt: skip
    wrapper.update_params(model(torch.ones(1, 1)).sum())

    assert [*model[0].parameters()] == before
    assert param_table(model, wrapper).count("frozen") == 2


def test_1083_accumulation_works_with_mixed_precision() -> None:
    torch.manual_seed(0)
    small, large = nn.Linear(2, 1), nn.Linear(2, 1)
    large.load_state_dict(small.state_dict())
    data = torch.randn(4, 8, 2)

    def train(model: nn.Module, batches: torch.Tensor, every: int) -> None:
        wrapper = AmpOptimWrapper(optimizer=SGD(model.parameters(), lr=0.1), dtype="bfloat16",
                                  accumulative_counts=every)  # fmt: skip
        for batch in batches:
            with wrapper.optim_context(model):
                loss = model(batch).float().square().mean()
            wrapper.update_params(loss)

    train(small, data, 4)
    train(large, data.reshape(1, 32, 2), 1)

    # bfloat16 keeps 8 bits, and the sums run in another order
    assert torch.allclose(small.weight, large.weight, atol=5e-3)


def test_1609_a_new_optimizer_of_torch_clashes_with_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Adafactor(SGD):
        """What a user registers under a name that torch has too."""

    before = OPTIMIZERS.get("Adafactor")
    OPTIMIZERS.register_module(module=Adafactor, force=True)
    try:
        with caplog.at_level(logging.WARNING):
            cfg = {"optimizer": {"type": "Adafactor", "lr": 0.1}}
            assert type(build_optim_wrapper(nn.Linear(1, 1), cfg).optimizer) is Adafactor
    finally:
        OPTIMIZERS.register_module(name="Adafactor", module=before, force=True)

    assert OPTIMIZERS.get("TorchAdafactor") is torch.optim.Adafactor


def test_no_hidden_group_with_rules_by_parameter() -> None:
    model = nn.Linear(2, 2)
    wrapper = build_optim_wrapper(model, {"optimizer": {"type": "SGD", "lr": 0.1},
                                          "paramwise_cfg": {"bias_lr_mult": 2.0}})  # fmt: skip

    assert len(wrapper.param_groups) == len(wrapper.optimizer.param_groups) == 2
    assert "base_param_settings" not in wrapper.state_dict()


def test_a_custom_key_does_not_reach_names_that_only_contain_it() -> None:
    model = nn.ModuleDict({"head": nn.Linear(1, 1), "aux_head": nn.Linear(1, 1)})
    wrapper = build_optim_wrapper(model, {
        "optimizer": {"type": "SGD", "lr": 0.1},
        "paramwise_cfg": {"custom_keys": {"head": {"lr_mult": 10.0}}},
    })  # fmt: skip

    assert wrapper.param_groups[0]["params"] == list(model["head"].parameters())
    assert wrapper.get_lr()["lr"] == [1.0, 0.1]
