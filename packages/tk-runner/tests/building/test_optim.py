from __future__ import annotations

import pytest
import torch
from toy_run import Toy

from tk_optim import LinearLR, OptimWrapper, OptimWrapperDict
from tk_runner import InvalidSettingsError
from tk_runner.building.optim import build_schedulers, build_wrapper, scale_lr, settings_in_epochs


def sgd() -> torch.optim.SGD:
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)


LENGTHS = {"epoch_length": 5, "max_epochs": 4, "max_iters": 20}


@pytest.mark.parametrize(
    "given",
    [sgd(), OptimWrapper(sgd()), {"optimizer": {"type": "SGD", "lr": 0.1}}],
    ids=["optimizer", "wrapper", "config"],
)
def test_a_wrapper_is_made_of_whatever_is_given(given: object) -> None:
    assert isinstance(build_wrapper(given, Toy()), OptimWrapper)


def test_wrappers_by_name_become_one() -> None:
    built = build_wrapper({"a": OptimWrapper(sgd()), "b": OptimWrapper(sgd())}, Toy())

    assert isinstance(built, OptimWrapperDict)
    assert list(built.keys()) == ["a", "b"]


def test_an_unbuilt_wrapper_by_name_is_named() -> None:
    with pytest.raises(InvalidSettingsError, match="'generator' is no OptimWrapper"):
        build_wrapper({"generator": {"type": "OptimWrapper"}}, Toy())


def test_an_optimizer_in_the_place_of_its_wrapper_is_shown_the_form() -> None:
    with pytest.raises(InvalidSettingsError, match=r"write optim_wrapper=dict\(optimizer=dict\("):
        build_wrapper({"type": "SGD", "lr": 0.1}, Toy())


def test_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="got int"):
        build_wrapper(3, Toy())


@pytest.mark.parametrize(("by_epoch", "end"), [(True, 4), (False, 20)], ids=["epoch", "iter"])
def test_a_schedule_ends_where_the_run_does(by_epoch: bool, end: int) -> None:
    cfg = {"type": "LinearLR", "start_factor": 0.5, "by_epoch": by_epoch}

    (schedule,) = build_schedulers(cfg, OptimWrapper(sgd()), **LENGTHS)

    assert schedule.end == end


def test_a_schedule_in_epochs_can_count_iterations() -> None:
    cfg = {"type": "LinearLR", "start_factor": 0.5, "end": 2, "convert_to_iter_based": True}

    (schedule,) = build_schedulers(cfg, OptimWrapper(sgd()), **LENGTHS)

    assert (schedule.by_epoch, schedule.end) == (False, 10)


def test_a_schedule_in_epochs_lasts_for_all_passes_of_a_training_by_iteration() -> None:
    cfg = {"type": "CosineAnnealingLR", "T_max": 3, "convert_to_iter_based": True}
    wrapper = OptimWrapper(sgd())

    (schedule,) = build_schedulers(cfg, wrapper, epoch_length=4, max_epochs=1, max_iters=12)
    for _ in range(11):
        schedule.step()

    assert schedule.end == 12
    assert wrapper.get_lr()["lr"] == [pytest.approx(0.0017, abs=5e-5)]


def test_a_schedule_in_epochs_may_end_within_a_pass() -> None:
    cfg = {"type": "LinearLR", "convert_to_iter_based": True}

    (schedule,) = build_schedulers(
        cfg, OptimWrapper(sgd()), epoch_length=4, max_epochs=1, max_iters=10
    )

    assert schedule.end == 10


def test_settings_that_only_the_end_of_an_epoch_puts_into_effect_are_found() -> None:
    wrapper = build_wrapper(
        {"optimizer": {"type": "SGD", "lr": 0.1}, "paramwise_cfg": {"freeze": {"weight": 2}}}, Toy()
    )
    cfgs: list[dict[str, object]] = [
        {"type": "StepLR", "step_size": 1},
        {"type": "StepLR", "step_size": 1, "by_epoch": False},
        {"type": "StepLR", "step_size": 1, "convert_to_iter_based": True},
        {"type": "ReduceOnPlateauLR"},
    ]

    first, second = settings_in_epochs(wrapper, build_schedulers(cfgs, wrapper, **LENGTHS))

    assert first.startswith("StepLR counts epochs (by_epoch=True); write by_epoch=False")
    assert second == "freeze releases net.weight at an epoch"


def test_several_optimizers_get_their_own_schedules() -> None:
    wrappers = OptimWrapperDict(a=OptimWrapper(sgd()), b=OptimWrapper(sgd()))
    cfg = {"type": "LinearLR", "start_factor": 0.5}

    shared = build_schedulers(cfg, wrappers, **LENGTHS)
    own = build_schedulers({"a": [cfg, cfg]}, wrappers, **LENGTHS)

    assert {name: len(some) for name, some in shared.items()} == {"a": 1, "b": 1}
    assert {name: len(some) for name, some in own.items()} == {"a": 2}


def test_schedules_for_an_optimizer_that_is_not_there_are_named() -> None:
    wrappers = OptimWrapperDict(gen=OptimWrapper(sgd()), dis=OptimWrapper(sgd()))

    with pytest.raises(InvalidSettingsError, match=r"schedules for 'genn'.*did you mean 'gen'"):
        build_schedulers({"genn": {"type": "ConstantLR"}}, wrappers, **LENGTHS)


def test_a_built_schedule_is_used_as_it_is() -> None:
    wrapper = OptimWrapper(sgd())
    schedule = LinearLR(wrapper, start_factor=0.5, end=3)

    assert build_schedulers([schedule], wrapper, **LENGTHS) == [schedule]


def test_rates_are_scaled_by_the_batch() -> None:
    wrapper = OptimWrapper(sgd())

    factors = scale_lr(wrapper, {"enable": True, "base_batch_size": 16}, batch_size=64)

    assert factors == {"": 4.0}
    assert wrapper.get_lr()["lr"] == [pytest.approx(0.4)]


def test_each_of_several_optimizers_is_scaled_by_the_samples_of_its_own_updates() -> None:
    wrappers = OptimWrapperDict(a=OptimWrapper(sgd()), b=OptimWrapper(sgd(), accumulative_counts=2))

    factors = scale_lr(wrappers, {"enable": True, "base_batch_size": 16}, batch_size=64)

    assert factors == {"a": 4.0, "b": 8.0}
    assert wrappers["b"].get_lr()["lr"] == [pytest.approx(0.8)]


@pytest.mark.parametrize("setting", [None, {}, {"base_batch_size": 16}, {"enable": False}])
def test_rates_are_scaled_only_where_it_is_asked_for(setting: object) -> None:
    wrapper = OptimWrapper(sgd())

    assert scale_lr(wrapper, setting, batch_size=64) == {}  # type: ignore[arg-type]
    assert wrapper.get_lr()["lr"] == [0.1]


def test_scaling_needs_to_know_the_base() -> None:
    with pytest.raises(InvalidSettingsError, match="base_batch_size"):
        scale_lr(OptimWrapper(sgd()), {"enable": True}, batch_size=64)


@pytest.mark.parametrize("given", ["cosine", [None]])
def test_what_is_no_schedule_is_named(given: object) -> None:
    with pytest.raises(TypeError, match="param_scheduler must be a schedule"):
        build_schedulers(given, OptimWrapper(sgd()), **LENGTHS)
