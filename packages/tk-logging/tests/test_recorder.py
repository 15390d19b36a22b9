from __future__ import annotations

from typing import Any

import pytest

from tk_logging import MessageHub, ResumedFlagError, ScalarShapeError


def test_numbers_are_recorded_in_the_order_of_the_keys(hub: MessageHub) -> None:
    record = hub.recorder(["time", "wait"], resumed=False)
    for number in range(5):
        record((float(number), 0.5))
    record((5, 1))

    assert hub.get_scalar("time").data[0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert hub.get_scalar("wait").current() == 1.0
    assert hub.state_dict()["log_scalars"] == {}


def test_nothing_is_recorded_before_the_first_call(hub: MessageHub) -> None:
    hub.recorder(["loss"])

    assert hub.log_scalars == {}


def test_tensors_are_read_once_and_keep_their_values(hub: MessageHub) -> None:
    torch = pytest.importorskip("torch")
    record, loss = hub.recorder(["a", "b"]), torch.zeros((), requires_grad=True)
    for _ in range(3):
        record([loss, loss + 1])
        with torch.no_grad():
            loss += 2.0

    assert hub.get_scalar("a").data[0].tolist() == [0.0, 2.0, 4.0]
    assert hub.get_scalar("b").data[0].tolist() == [1.0, 3.0, 5.0]
    assert hub.num_reads == 1


def test_values_may_change_their_kind_and_come_another_way_in_between(hub: MessageHub) -> None:
    torch = pytest.importorskip("torch")
    record = hub.recorder(["a", "b"])
    record([torch.tensor(0.0), torch.tensor(0.0)])
    record([torch.tensor([1.0]), torch.tensor(1, dtype=torch.int32)])
    hub.update_scalar("a", 2.0)
    record([3.0, torch.tensor(3.0)])
    record([torch.tensor(4.0), torch.tensor(4.0)])
    hub.collect()
    record([5.0, 5.0])

    assert hub.get_scalar("a").data[0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert hub.get_scalar("b").data[0].tolist() == [0.0, 1.0, 3.0, 4.0, 5.0]


def test_histories_of_a_loaded_state_are_recorded_to(hub: MessageHub) -> None:
    record = hub.recorder(["loss"])
    record([1.0])
    state = hub.state_dict()
    record([2.0])
    hub.load_state_dict(state)
    record([3.0])

    assert hub.get_scalar("loss").data[0].tolist() == [1.0, 3.0]


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0, 3.0]])
def test_as_many_values_as_keys_are_wanted(hub: MessageHub, values: Any) -> None:
    record = hub.recorder(["a", "b"])

    with pytest.raises(ValueError, match=r"zip\(\) argument 2"):
        record(values)
    assert hub.log_scalars == {}


@pytest.mark.parametrize("number", [1, 3])
def test_as_many_tensors_as_keys_are_wanted(hub: MessageHub, number: int) -> None:
    torch = pytest.importorskip("torch")
    record = hub.recorder(["a", "b"])
    record([torch.tensor(1.0)] * 2)

    with pytest.raises(ValueError, match=r"zip\(\) argument 2"):
        record([torch.tensor(2.0)] * number)
    assert hub.get_scalar("b").data[0].tolist() == [1.0]


def test_what_is_wrong_is_named_as_elsewhere(hub: MessageHub) -> None:
    torch = pytest.importorskip("torch")
    record = hub.recorder(["a", "b"])
    record([torch.tensor(1.0), torch.tensor(1.0)])

    with pytest.raises(ScalarShapeError, match="'a', got Tensor of shape"):
        record([torch.zeros(2), torch.zeros(2)])
    with pytest.raises(ResumedFlagError, match="'a' was recorded"):
        hub.recorder(["a"], resumed=False)([1.0])
    assert len(hub.get_scalar("a")) == 1
