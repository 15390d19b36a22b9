"""Several wrappers as one."""

from __future__ import annotations

import copy

import pytest
from optim_cases import make_optimizer
from torch import nn

from tk_logging import MessageHub
from tk_optim import (
    InvalidTypeError,
    OptimWrapper,
    OptimWrapperDict,
    UnknownKeyError,
    UnsupportedCallError,
)
from tk_optim.scheduler import StepLR


def both(**kwargs: int) -> OptimWrapperDict:
    return OptimWrapperDict(
        gen=OptimWrapper(make_optimizer(0.1, momentum=0.9), **kwargs),
        dis=OptimWrapper(make_optimizer(0.2, 0.3)),
    )


def test_it_is_a_mapping_of_names_to_wrappers() -> None:
    wrappers = both()

    assert [*wrappers.keys()] == ["gen", "dis"]
    assert [*wrappers.values()] == [wrappers["gen"], wrappers["dis"]]
    assert dict(wrappers.items()) == {"gen": wrappers["gen"], "dis": wrappers["dis"]}
    assert [*wrappers] == ["gen", "dis"]
    assert "gen" in wrappers
    assert len(wrappers) == 2
    assert "name: gen" in repr(wrappers)


def test_values_are_prefixed_by_the_name() -> None:
    wrappers = both()

    assert wrappers.get_lr() == {"gen.lr": [0.1], "dis.lr": [0.2, 0.3], "dis.base_lr": [0.001]}
    assert wrappers.get_momentum() == {"gen.momentum": [0.9], "dis.momentum": [0, 0]}
    assert [*wrappers.param_groups] == ["gen", "dis"]
    assert wrappers.defaults["gen"]["momentum"] == 0.9


def test_state_is_kept_by_name() -> None:
    other = OptimWrapperDict(
        gen=OptimWrapper(make_optimizer(9.0)), dis=OptimWrapper(make_optimizer(9.0, 9.0))
    )
    other.load_state_dict(both().state_dict())

    assert other["dis"].get_lr()["lr"] == [0.2, 0.3]


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownKeyError, match=r"called 'gem'; did you mean 'gen'"):
        both()["gem"]
    with pytest.raises(UnknownKeyError, match="called 'x'"):
        both().load_state_dict({"x": {}})


def test_only_wrappers_are_taken() -> None:
    with pytest.raises(InvalidTypeError, match="gen is a SGD, not an OptimWrapper"):
        OptimWrapperDict(gen=make_optimizer())


def test_a_call_that_does_not_say_which_is_refused() -> None:
    wrappers = both()

    with pytest.raises(UnsupportedCallError, match=r"optim_wrapper\[name\].step.*: gen, dis"):
        wrappers.step()
    assert not hasattr(wrappers, "optim_context")


def test_a_copy_holds_wrappers_of_its_own() -> None:
    wrappers = both()

    assert copy.copy(wrappers)["gen"] is wrappers["gen"]
    assert copy.deepcopy(wrappers)["gen"] is not wrappers["gen"]


def test_a_schedule_wants_one_of_them() -> None:
    with pytest.raises(InvalidTypeError, match="one wrapper of several"):
        StepLR(both(), step_size=1)


def test_gradients_of_all_are_forgotten() -> None:
    wrappers = both()
    params = [wrappers[name].param_groups[0]["params"][0] for name in wrappers]
    sum(param.sum() for param in params).backward()
    wrappers.zero_grad()

    assert [param.grad for param in params] == [None, None]


def test_each_is_told_where_the_run_stands() -> None:
    wrappers = both(accumulative_counts=4)
    wrappers.initialize_count_status(nn.Module(), 8, 10)
    param = wrappers["gen"].param_groups[0]["params"][0]
    for _ in range(2):
        wrappers["gen"].update_params(param.sum())

    assert wrappers["gen"].inner_count == 10
    assert wrappers["gen"].update_count == 1


def test_a_hub_is_set_for_all(hub: MessageHub) -> None:
    wrappers = both()
    wrappers.message_hub = hub

    assert wrappers["dis"].message_hub is wrappers.message_hub is hub


def test_incomplete_groups_of_all_are_finished() -> None:
    wrappers = both(accumulative_counts=4)
    wrappers["gen"].update_params(wrappers["gen"].param_groups[0]["params"][0].sum())

    assert wrappers.has_pending_gradients
    assert wrappers.finish_group()
    assert wrappers["gen"].update_count == 1
    assert not wrappers.finish_group()
