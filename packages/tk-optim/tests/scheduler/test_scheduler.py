"""A schedule: window, position, state; nothing of the optimizer is patched."""

from __future__ import annotations

import gc
import io
import logging
import weakref

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from optim_cases import FAMILIES, Make, follow, make_optimizer, rates
from torch.optim import Optimizer

from tk_optim import (
    AmpOptimWrapper,
    InvalidSettingError,
    InvalidTypeError,
    OptimWrapper,
    UnknownKeyError,
)
from tk_optim.scheduler import (
    CosineAnnealingLR,
    CosineRestartLR,
    ExponentialLR,
    LinearLR,
    MultiStepLR,
    OneCycleLR,
    PolyLR,
    StepLR,
    StepParamScheduler,
    _ParamScheduler,
)
from tk_optim.scheduler.curves import INF
from tk_registry import PARAM_SCHEDULERS


def test_values_change_inside_the_window_only() -> None:
    optimizer = make_optimizer(1.0)
    schedule = ExponentialLR(optimizer, gamma=0.5, begin=2, end=5)

    assert follow(optimizer, [schedule], 7) == [1.0, 1.0, 1.0, 0.5, 0.25, 0.25, 0.25]


def test_every_group_is_driven_from_its_own_base() -> None:
    optimizer = make_optimizer(1.0, 0.2)
    schedule = StepLR(optimizer, step_size=1, gamma=0.5)
    schedule.step()

    assert rates(optimizer) == [0.5, 0.1]
    assert schedule.base_values == [1.0, 0.2]
    assert schedule.get_last_value() == [0.5, 0.1]


def test_a_group_that_is_added_later_is_driven_too() -> None:
    optimizer = make_optimizer(1.0)
    schedule = StepLR(optimizer, step_size=1, gamma=0.5)
    optimizer.add_param_group({"params": [torch.nn.Parameter(torch.zeros(1))], "lr": 0.4})
    schedule.step()

    assert rates(optimizer) == [0.5, 0.2]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("stop", [0, 1, 4, 5, 8, 13])
def test_resuming_at_any_step_equals_the_run_without_a_break(name: str, stop: int) -> None:
    make: Make = FAMILIES[name]
    straight = make_optimizer(0.1)
    expected = follow(straight, [make(straight)], 14)
    first = make_optimizer(0.1)
    saved = make(first)
    follow(first, [saved], stop)

    resumed = make_optimizer(0.1)
    schedule = make(resumed)
    resumed.load_state_dict(first.state_dict())
    schedule.load_state_dict(saved.state_dict())

    assert rates(resumed) == [expected[stop]]
    assert follow(resumed, [schedule], 14 - stop) == expected[stop:]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_optimizer_may_be_loaded_before_the_schedule_is_built(name: str) -> None:
    make: Make = FAMILIES[name]
    first = make_optimizer(0.1)
    saved = make(first)
    expected = follow(first, [saved], 9)[8]
    follow(first, [saved], 0)

    resumed = make_optimizer(0.7)
    resumed.load_state_dict(first.state_dict())
    schedule = make(resumed)
    schedule.load_state_dict({**saved.state_dict(), "global_step": 8})

    assert rates(resumed) == [expected]


def test_the_state_is_builtins_that_the_safe_loader_reads() -> None:
    optimizer = make_optimizer(0.1)
    schedule = OneCycleLR(optimizer, eta_max=1.0, total_steps=10)
    schedule.step()
    file = io.BytesIO()
    torch.save(schedule.state_dict(), file)
    file.seek(0)

    assert torch.load(file, weights_only=True)["global_step"] == 1


def test_a_schedule_that_was_made_longer_follows_its_new_shape() -> None:
    first = make_optimizer(1.0)
    short = CosineAnnealingLR(first, begin=0, end=10)
    follow(first, [short], 10)

    longer = make_optimizer(1.0)
    schedule = CosineAnnealingLR(longer, begin=0, end=20)
    schedule.load_state_dict(short.state_dict())

    assert rates(longer)[0] == pytest.approx(0.5, abs=1e-12)  # half of the new way
    assert schedule.last_step == 10


def test_a_changed_setting_is_kept_on_resume_and_said(caplog: pytest.LogCaptureFixture) -> None:
    saved = StepLR(make_optimizer(1.0), step_size=2).state_dict()
    optimizer = make_optimizer(1.0)
    schedule = StepLR(optimizer, step_size=5, gamma=0.5)

    with caplog.at_level(logging.INFO, "tk.optim"):
        schedule.load_state_dict({**saved, "global_step": 5})

    assert rates(optimizer) == [0.5]
    assert "settings that changed" in caplog.text


def test_a_state_that_mmengine_wrote_is_read() -> None:
    optimizer = make_optimizer(1.0)
    schedule = StepLR(optimizer, step_size=2, gamma=0.5)

    schedule.load_state_dict({"_global_step": 4, "last_step": 4, "step_size": 9, "by_epoch": True})

    assert rates(optimizer) == [0.25]


def test_a_state_without_a_position_is_refused() -> None:
    with pytest.raises(UnknownKeyError, match="has no 'global_step'; it holds nothing"):
        StepLR(make_optimizer(), step_size=1).load_state_dict({})


def test_a_position_in_epochs_is_converted_for_a_schedule_that_was_converted() -> None:
    saved = StepLR(make_optimizer(1.0), step_size=2, gamma=0.5)
    for _ in range(2):
        saved.step()
    optimizer = make_optimizer(1.0)
    schedule = StepLR.build_iter_from_epoch(optimizer, step_size=2, gamma=0.5, epoch_length=10)
    schedule.load_state_dict(saved.state_dict())

    assert schedule.global_step == 20
    assert rates(optimizer) == [0.5]


def test_a_position_in_another_unit_is_refused() -> None:
    saved = StepLR(make_optimizer(), step_size=2, by_epoch=False).state_dict()

    with pytest.raises(InvalidSettingError, match="counts iterations and this schedule counts epo"):
        StepLR(make_optimizer(), step_size=2).load_state_dict(saved)


def test_last_step_goes_on_after_it() -> None:
    optimizer = make_optimizer(0.25)
    optimizer.param_groups[0]["initial_lr"] = 1.0
    schedule = StepLR(optimizer, step_size=1, gamma=0.5, last_step=1)

    assert schedule.last_step == 2
    assert rates(optimizer) == [0.25]


def test_last_step_needs_the_base_value() -> None:
    with pytest.raises(UnknownKeyError, match="no entry 'initial_lr'"):
        StepLR(make_optimizer(), step_size=1, last_step=3)


def test_an_edit_by_somebody_else_does_not_bend_the_schedule() -> None:
    optimizer = make_optimizer(1.0)
    schedule = StepLR(optimizer, step_size=2, gamma=0.5)
    optimizer.param_groups[0]["lr"] = 123.0
    schedule.step()

    assert rates(optimizer) == [1.0]


def test_the_optimizer_is_not_patched() -> None:
    optimizer = make_optimizer()
    StepLR(optimizer, step_size=1)

    assert "step" not in vars(optimizer)


def test_a_schedule_does_not_keep_its_optimizer_alive() -> None:
    optimizer = make_optimizer()
    schedule = StepLR(optimizer, step_size=1)
    gone = weakref.ref(optimizer)
    del optimizer, schedule
    gc.collect()

    assert gone() is None


def test_a_wrapper_is_driven_through_its_optimizer() -> None:
    wrapper = OptimWrapper(make_optimizer(1.0, 0.5))
    schedule = StepLR(wrapper, step_size=1, gamma=0.5)
    schedule.step()

    assert wrapper.get_lr()["lr"] == [0.5, 0.25]


def test_what_is_no_optimizer_is_refused() -> None:
    with pytest.raises(InvalidTypeError, match="drives a torch optimizer or a wrapper"):
        StepLR("sgd", step_size=1)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"begin": 5, "end": 5}, "end=5 is not after begin=5"),
        ({"last_step": -2}, "last_step must be a whole number of -1 or more, got -2"),
        ({"last_step": 1.0}, "last_step must be .* got 1.0"),
    ],
)
def test_a_window_that_cannot_work_is_refused(settings: dict[str, float], text: str) -> None:
    with pytest.raises(InvalidSettingError, match=text):
        StepLR(make_optimizer(), step_size=1, **settings)


def test_an_unknown_entry_is_named_with_the_nearest_one() -> None:
    with pytest.raises(
        UnknownKeyError, match=r"no entry 'weight_decy'.*did you mean 'weight_decay"
    ):
        StepParamScheduler(make_optimizer(), "weight_decy", step_size=1)


def test_any_entry_of_the_groups_can_be_driven() -> None:
    optimizer = make_optimizer(1.0, weight_decay=0.1)
    schedule = StepParamScheduler(optimizer, "weight_decay", step_size=1, gamma=0.5)
    schedule.step()

    assert optimizer.param_groups[0]["weight_decay"] == 0.05
    assert rates(optimizer) == [1.0]


@pytest.mark.parametrize("family", [LinearLR, PolyLR, CosineAnnealingLR, OneCycleLR])
def test_a_shape_that_needs_an_end_asks_for_it(family: type[_ParamScheduler]) -> None:
    with pytest.raises(InvalidSettingError, match="end is not given"):
        family(make_optimizer())


CONVERTED = [
    (StepLR, {"step_size": 2}, {"step_size": 8}),
    (MultiStepLR, {"milestones": [1, 3]}, {"milestones": [4, 12]}),
    (CosineAnnealingLR, {"T_max": 3}, {"total": 12}),
    (CosineAnnealingLR, {}, {"total": 24}),
    (OneCycleLR, {"eta_max": 1.0, "total_steps": 5}, {"total": 20}),
    (OneCycleLR, {"eta_max": 1.0}, {"total": 24}),
    (CosineRestartLR, {"periods": [2], "eta_min": 0.0}, {"periods": [8]}),
    (ExponentialLR, {"gamma": 0.9}, {"gamma": 0.9}),
]


@pytest.mark.parametrize(("family", "given", "wanted"), CONVERTED)
def test_epochs_become_iterations(
    family: type[_ParamScheduler], given: dict[str, object], wanted: dict[str, object]
) -> None:
    built = family.build_iter_from_epoch(make_optimizer(), begin=1, end=7, epoch_length=4, **given)

    assert (built.begin, built.end, built.by_epoch) == (4, 28, False)
    settings = built.state_dict()["settings"]
    assert {key: settings[key] for key in wanted} == wanted


def test_an_end_that_was_not_given_is_not_converted() -> None:
    assert StepLR.build_iter_from_epoch(make_optimizer(), step_size=1, epoch_length=9).end == INF


def test_the_registry_converts_when_asked() -> None:
    cfg = {"type": "MultiStepLR", "milestones": [2], "begin": 1, "end": 7,
           "by_epoch": True, "convert_to_iter_based": True}  # fmt: skip
    built = PARAM_SCHEDULERS.build(cfg, default_args={"optimizer": make_optimizer(),
                                                      "epoch_length": 4})  # fmt: skip

    assert (built.begin, built.end, built.by_epoch) == (4, 28, False)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"by_epoch": False, "epoch_length": 4}, "counts iterations already"),
        ({"epoch_length": None}, "epoch_length=None"),
        ({"epoch_length": 0}, "epoch_length=0"),
    ],
)
def test_a_conversion_that_cannot_work_is_refused(settings: dict[str, object], text: str) -> None:
    with pytest.raises(InvalidSettingError, match=text):
        StepLR.build_iter_from_epoch(make_optimizer(), step_size=1, **settings)


def test_verbose_logs_each_new_value(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "tk.optim"):
        schedule = StepLR(make_optimizer(1.0), step_size=2, gamma=0.5, verbose=True)
        schedule.step()
        schedule.step()

    assert [record.message for record in caplog.records] == [
        "lr of group 0 is now 1.0000e+00",
        "lr of group 0 is now 5.0000e-01",
    ]


def test_a_subclass_without_a_curve_says_what_is_missing() -> None:
    class Bare(_ParamScheduler):
        pass

    with pytest.raises(NotImplementedError, match="define _curve"):
        Bare(make_optimizer(), "lr")


def test_a_subclass_needs_a_curve_only() -> None:
    class Halving(_ParamScheduler):
        def _curve(self):
            return lambda step, start, base, group: start / (step + 1)

    optimizer = make_optimizer(1.0)
    assert follow(optimizer, [Halving(optimizer, "lr")], 3) == [1.0, 0.5, 1.0 / 3]


def test_updates_are_counted_instead_of_batches_when_asked() -> None:
    optimizer: Optimizer = make_optimizer(1.0)
    wrapper = OptimWrapper(optimizer, accumulative_counts=4)
    warmup = LinearLR(wrapper, start_factor=0.5, end=2, by_epoch=False, count_updates=True)
    seen = []
    for _ in range(8):
        seen += rates(optimizer)
        wrapper.update_params(optimizer.param_groups[0]["params"][0].sum())
        warmup.step()

    assert seen == [0.5] * 4 + [1.0] * 4
    assert warmup.global_step == 2


def test_an_update_that_overflowed_does_not_advance_a_schedule_that_counts_updates() -> None:
    optimizer = make_optimizer(1.0)
    wrapper = AmpOptimWrapper(optimizer=optimizer, dtype="float16", loss_scale=8)
    param = optimizer.param_groups[0]["params"][0]
    schedule = StepLR(wrapper, step_size=1, gamma=0.5, by_epoch=False, count_updates=True)
    seen = []
    for factor in (1.0, float("inf"), 1.0):
        with wrapper.optim_context(torch.nn.Module()):
            loss = (param * factor).sum()
        wrapper.update_params(loss)
        schedule.step()
        seen += rates(optimizer)

    assert seen == [0.5, 0.5, 0.25]


def test_a_resumed_count_of_updates_goes_on_from_the_saved_one() -> None:
    saved = StepLR(OptimWrapper(make_optimizer(1.0)), 2, 0.5, by_epoch=False, count_updates=True)
    wrapper = OptimWrapper(make_optimizer(1.0))
    wrapper.step()
    schedule = StepLR(wrapper, 2, 0.5, by_epoch=False, count_updates=True)
    schedule.load_state_dict({**saved.state_dict(), "global_step": 3})
    wrapper.step()
    schedule.step()

    assert (schedule.global_step, rates(wrapper)) == (4, [0.25])


@pytest.mark.parametrize("name", FAMILIES)
@given(steps=st.lists(st.integers(0, 14), min_size=1, max_size=6))
def test_the_value_does_not_depend_on_the_way_to_it(name: str, steps: list[int]) -> None:
    optimizer = make_optimizer(0.1, 0.3)
    schedule = FAMILIES[name](optimizer)
    state = schedule.state_dict()
    for step in steps:
        schedule.load_state_dict({**state, "global_step": step})
    straight = make_optimizer(0.1, 0.3)
    follow(straight, [FAMILIES[name](straight)], steps[-1])

    assert rates(optimizer) == rates(straight)


def test_counting_updates_needs_a_wrapper_and_iterations() -> None:
    with pytest.raises(InvalidTypeError, match="bare SGD: wrap it"):
        StepLR(make_optimizer(), step_size=1, by_epoch=False, count_updates=True)
    with pytest.raises(InvalidSettingError, match="set by_epoch=False"):
        StepLR(OptimWrapper(make_optimizer()), step_size=1, count_updates=True)
