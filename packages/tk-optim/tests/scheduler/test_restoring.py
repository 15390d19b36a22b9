"""Which saved state belongs to which schedule of a resumed run."""

from __future__ import annotations

from typing import Any

import pytest
from optim_cases import make_optimizer, rates
from torch.optim import Optimizer

from tk_optim import Progress, restore_schedules
from tk_optim.scheduler import CosineAnnealingLR, LinearLR, MultiStepLR, StepLR, StepMomentum

HALF_WAY = Progress(epoch=2, iteration=8, epoch_length=4, saved_epoch_length=4)


def halving(optimizer: Optimizer, **settings: Any) -> StepLR:
    return StepLR(optimizer, **{"step_size": 1, "gamma": 0.5, **settings})


def after(schedule: Any, steps: int) -> dict[str, Any]:
    """The state of a schedule after so many steps."""
    for _ in range(steps):
        schedule.step()
    state: dict[str, Any] = schedule.state_dict()
    return state


def test_a_schedule_that_was_moved_in_the_list_keeps_its_position() -> None:
    old = make_optimizer(1.0, momentum=0.9)
    states = [after(halving(old), 2), after(StepMomentum(old, step_size=1), 1)]
    optimizer = make_optimizer(1.0, momentum=0.9)
    schedules = [StepMomentum(optimizer, step_size=1), halving(optimizer)]

    assert restore_schedules(schedules, states, HALF_WAY) == []
    assert [schedule.global_step for schedule in schedules] == [1, 2]


def test_two_schedules_of_one_kind_are_told_apart_by_their_settings() -> None:
    old = make_optimizer(1.0)
    states = [after(halving(old, end=9), 1), after(halving(old, begin=3), 2)]
    optimizer = make_optimizer(1.0)
    schedules = [halving(optimizer, begin=3), halving(optimizer, end=9)]

    restore_schedules(schedules, states, HALF_WAY)

    assert [schedule.global_step for schedule in schedules] == [2, 1]


def test_a_changed_setting_does_not_part_a_schedule_from_its_state() -> None:
    states = [after(halving(make_optimizer(1.0)), 2)]
    schedule = halving(make_optimizer(1.0), gamma=0.1)

    assert restore_schedules([schedule], states, HALF_WAY) == []
    assert schedule.global_step == 2


@pytest.mark.parametrize(
    ("by_epoch", "step"), [(True, 2), (False, 8)], ids=["epochs", "iterations"]
)
def test_a_schedule_without_a_saved_state_starts_where_the_run_stands(
    by_epoch: bool, step: int
) -> None:
    optimizer = make_optimizer(1.0)
    schedule = halving(optimizer, by_epoch=by_epoch)

    messages = restore_schedules([schedule], [], HALF_WAY)

    assert rates(optimizer) == [0.5**step]
    assert messages == [
        f"StepLR of lr has no saved state: it starts where the run stands, at its step {step}"
    ]


def test_a_warm_up_that_was_put_in_front_does_not_take_the_position_of_another_schedule() -> None:
    states = [after(CosineAnnealingLR(make_optimizer(1.0), T_max=4), 2)]
    optimizer = make_optimizer(1.0)
    warm_up = LinearLR(optimizer, start_factor=0.1, end=1)
    cosine = CosineAnnealingLR(optimizer, T_max=4)

    restore_schedules([warm_up, cosine], states, HALF_WAY)

    assert rates(optimizer) == [pytest.approx(0.5)]


def test_a_state_of_another_kind_is_not_used_and_it_is_said() -> None:
    states = [after(halving(make_optimizer(1.0)), 1)]
    schedule = MultiStepLR(make_optimizer(1.0), milestones=[3])

    messages = restore_schedules([schedule], states, HALF_WAY)

    assert schedule.global_step == 2  # where the run stands
    assert messages[-1].startswith("the saved state of StepLR belongs to none")


def test_a_state_that_does_not_name_its_kind_is_told_by_its_settings() -> None:
    old = make_optimizer(1.0)
    states = [after(halving(old), 1), after(CosineAnnealingLR(old, T_max=9), 3)]
    unnamed = [{key: state[key] for key in state if key not in ("type", "param_name")}
               for state in states]  # fmt: skip
    optimizer = make_optimizer(1.0)
    schedules = [CosineAnnealingLR(optimizer, T_max=9), halving(optimizer)]

    assert restore_schedules(schedules, unnamed, HALF_WAY) == []
    assert [schedule.global_step for schedule in schedules] == [3, 1]


LONGER_EPOCHS = Progress(epoch=2, iteration=8, epoch_length=8, saved_epoch_length=4)


@pytest.mark.parametrize("says_its_length", [True, False])
def test_a_schedule_converted_from_epochs_goes_on_after_as_many_epochs(
    says_its_length: bool,
) -> None:
    def cosine(optimizer: Optimizer, epoch_length: int) -> CosineAnnealingLR:
        return CosineAnnealingLR.build_iter_from_epoch(
            optimizer, T_max=4, epoch_length=epoch_length
        )

    state = after(cosine(make_optimizer(1.0), 4), 8)
    if not says_its_length:
        del state["epoch_length"]
    optimizer = make_optimizer(1.0)
    schedule = cosine(optimizer, 8)

    assert restore_schedules([schedule], [state], LONGER_EPOCHS) == []
    assert schedule.global_step == 16
    assert rates(optimizer) == [pytest.approx(0.5)]


def test_a_schedule_in_iterations_keeps_its_numbers_and_it_is_said() -> None:
    state = after(halving(make_optimizer(1.0), by_epoch=False), 8)
    schedule = halving(make_optimizer(1.0), by_epoch=False)

    (message,) = restore_schedules([schedule], [state], LONGER_EPOCHS)

    assert schedule.global_step == 8
    assert "StepLR of lr counts iterations and keeps its numbers" in message


def test_a_converted_schedule_can_go_on_in_epochs() -> None:
    converted = StepLR.build_iter_from_epoch(make_optimizer(1.0), step_size=1, epoch_length=4)
    schedule = halving(make_optimizer(1.0))

    restore_schedules([schedule], [after(converted, 8)], HALF_WAY)

    assert schedule.global_step == 2


def test_a_position_in_another_unit_that_cannot_be_converted_is_not_used() -> None:
    state = after(halving(make_optimizer(1.0), by_epoch=False), 7)
    schedule = halving(make_optimizer(1.0))

    messages = restore_schedules([schedule], [state], HALF_WAY)

    assert schedule.global_step == 2
    assert len(messages) == 2
