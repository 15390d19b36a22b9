from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest

from tk_logging import (
    HistoryBuffer,
    InvalidArgumentError,
    InvalidValueError,
    MessageHub,
    ResumedFlagError,
    ScalarShapeError,
    ScalarTypeError,
    UnknownScalarError,
)


def test_numbers_of_every_kind_are_recorded(hub: MessageHub) -> None:
    for value in (
        1,
        1.0,
        True,
        np.float32(1),
        np.int64(1),
        np.array(1.0),
        np.array([1]),
        np.bool_(1),
    ):
        hub.update_scalar("one", value)

    assert hub.get_scalar("one").data[0].tolist() == [1.0] * 8


def test_a_new_value_is_seen_at_once(hub: MessageHub) -> None:
    hub.update_scalar("loss", 1.0)
    assert hub.get_scalar("loss").current() == 1.0
    hub.update_scalar("loss", 3.0, count=3)

    assert hub.get_scalar("loss").mean() == 1.0


def test_several_scalars_plain_or_with_counts(hub: MessageHub) -> None:
    given = {"loss": 1.0, "acc": {"value": 1, "count": 2}}
    hub.update_scalars(given)

    assert hub.get_scalar("loss").mean() == 1.0
    assert hub.get_scalar("acc").mean() == 0.5
    assert given == {"loss": 1.0, "acc": {"value": 1, "count": 2}}


@pytest.mark.parametrize("entry", [{"count": 1}, {"value": 1, "cuont": 2}, {}])
def test_a_dict_without_a_value_is_refused(hub: MessageHub, entry: dict[str, int]) -> None:
    with pytest.raises(InvalidValueError, match=r"'loss' is given as a dict .* needs 'value'"):
        hub.update_scalars({"loss": entry})


def test_several_scalars_are_a_dict(hub: MessageHub) -> None:
    with pytest.raises(InvalidArgumentError, match="log_dict is a dict"):
        hub.update_scalars([("loss", 1.0)])  # type: ignore[arg-type]


def test_a_mistake_among_several_records_none(hub: MessageHub) -> None:
    with pytest.raises(ScalarTypeError, match="'bad'"):
        hub.update_scalars({"good": 1.0, "bad": "x"})

    assert hub.log_scalars == {}


@pytest.mark.parametrize("value", [np.zeros(2), np.zeros((1, 2)), np.zeros(0)])
def test_an_array_of_several_elements_is_refused_with_its_shape(
    hub: MessageHub, value: object
) -> None:
    with pytest.raises(ScalarShapeError, match=r"one number for 'loss', got ndarray of shape \("):
        hub.update_scalar("loss", value)


def test_a_tensor_of_several_elements_is_refused_with_its_shape(hub: MessageHub) -> None:
    torch = pytest.importorskip("torch")

    with pytest.raises(ScalarShapeError, match=r"Tensor of shape \(2, 3\); reduce it first"):
        hub.update_scalar("loss", torch.zeros(2, 3))
    with pytest.raises(ScalarTypeError, match="absolute value"):
        hub.update_scalars({"loss": torch.zeros((), dtype=torch.complex64)})


@pytest.mark.parametrize("value", [None, "1.0", [1.0], 1j, object()])
def test_what_is_no_number_is_refused(hub: MessageHub, value: object) -> None:
    with pytest.raises(ScalarTypeError, match="'loss'"):
        hub.update_scalar("loss", value)


@pytest.mark.parametrize("count", [1.5, "1", None])
def test_a_count_that_is_no_int_is_named(hub: MessageHub, count: object) -> None:
    with pytest.raises(InvalidArgumentError, match="count is a whole number of samples"):
        hub.update_scalar("loss", 1.0, count=count)  # type: ignore[arg-type]


def test_a_key_that_is_no_str_is_refused(hub: MessageHub) -> None:
    with pytest.raises(InvalidArgumentError, match="a key is a str"):
        hub.update_scalar(3, 1.0)  # type: ignore[arg-type]


def test_an_unknown_scalar_names_the_hub_and_the_nearest(hub: MessageHub) -> None:
    hub.update_scalar("train/loss", 1.0)

    with pytest.raises(
        UnknownScalarError, match=r"hub 'run' holds no .* did you mean 'train/loss'"
    ):
        hub.get_scalar("train/los")
    with pytest.raises(KeyError, match="record it with update_scalar"):
        hub.get_scalar("zzz")


def test_facts_are_set_read_and_taken_out(hub: MessageHub) -> None:
    meta = {"classes": ["cat"]}
    hub.update_info("meta", meta)
    hub.update_info_dict({"iter": 1, "epoch": 0}, resumed=False)

    assert hub.get_info("meta") is meta
    assert hub.get_info("none", 7) == 7
    assert hub.pop_info("iter") == 1
    assert hub.pop_info("iter", "gone") == "gone"
    assert hub.runtime_info == {"meta": meta, "epoch": 0}


def test_several_facts_are_a_dict(hub: MessageHub) -> None:
    with pytest.raises(InvalidArgumentError, match="info_dict is a dict"):
        hub.update_info_dict("iter")  # type: ignore[arg-type]


@pytest.mark.parametrize("update", ["update_scalar", "update_info"])
def test_a_changed_resumed_flag_is_refused(hub: MessageHub, update: str) -> None:
    getattr(hub, update)("loss", 1.0, resumed=False)

    with pytest.raises(ResumedFlagError, match=r"'loss' .* resumed=False before .* resumed=True"):
        getattr(hub, update)("loss", 1.0)


def test_a_flag_is_true_or_false(hub: MessageHub) -> None:
    with pytest.raises(InvalidArgumentError, match="True or False"):
        hub.update_scalar("loss", 1.0, resumed="yes")  # type: ignore[arg-type]


def test_a_scalar_and_a_fact_may_share_a_name(hub: MessageHub) -> None:
    hub.update_scalar("val/acc", 1.0)
    hub.update_info("val/acc", "all classes")

    assert hub.get_scalar("val/acc").current() == 1.0
    assert hub.get_info("val/acc") == "all classes"


def test_it_begins_with_what_it_is_given() -> None:
    hub = MessageHub(
        "given",
        log_scalars={"loss": HistoryBuffer([1.0], [1])},
        runtime_info={"iter": 3},
        resumed_keys={"loss": True},
    )

    assert hub.get_scalar("loss").current() == 1.0
    assert hub.get_info("iter") == 3


@pytest.mark.parametrize("name", ["log_scalars", "runtime_info", "resumed_keys"])
def test_what_it_begins_with_are_dicts(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"{name} is a dict or None, got list"):
        MessageHub("wrong", **{name: [1]})  # type: ignore[arg-type]


def test_scalars_to_begin_with_are_histories() -> None:
    with pytest.raises(InvalidArgumentError, match="HistoryBuffer, got float"):
        MessageHub("wrong", log_scalars={"loss": 1.0})  # type: ignore[dict-item]


def test_flags_to_begin_with_belong_to_something() -> None:
    with pytest.raises(InvalidValueError, match="names 'loss'"):
        MessageHub("wrong", resumed_keys={"loss": True})


def test_the_current_hub_is_made_when_there_is_none() -> None:
    assert MessageHub.get_current_instance().instance_name == "tk"
    assert MessageHub.get_current_instance() is MessageHub.get_instance("tk")


def test_two_runs_do_not_mix() -> None:
    first, second = MessageHub.get_instance("first"), MessageHub.get_instance("second")
    with first.as_current():
        MessageHub.get_current_instance().update_scalar("loss", 1.0)
    MessageHub.get_current_instance().update_scalar("loss", 2.0)

    assert first.get_scalar("loss").data[0].tolist() == [1.0]
    assert second.get_scalar("loss").data[0].tolist() == [2.0]


def test_a_window_of_the_hub_covers_all_its_histories_and_later_ones(hub: MessageHub) -> None:
    hub.update_scalar("a", 1.0)
    hub.open_window("epoch")
    hub.update_scalars({"a": 3.0, "new": 5.0})

    assert hub.get_scalar("a").mean("epoch") == 3.0
    assert hub.get_scalar("new").mean("epoch") == 5.0
    hub.close_window("epoch")
    with pytest.raises(ValueError, match="no window 'epoch'"):
        hub.get_scalar("a").mean("epoch")


def test_the_history_length_holds_for_old_and_new_histories(hub: MessageHub) -> None:
    hub.update_scalar("old", 0.0)
    hub.history_length = 2
    for value in range(5):
        hub.update_scalars({"old": value, "new": value})

    assert hub.history_length == 2
    assert [len(history.data[0]) for history in hub.log_scalars.values()] == [2, 2]
    with pytest.raises(InvalidValueError, match="from 1 on"):
        hub.history_length = 0


def test_updates_from_threads_are_all_recorded(hub: MessageHub) -> None:
    torch = pytest.importorskip("torch")

    def work(name: str) -> None:
        for number in range(500):
            hub.update_scalars({"loss": torch.tensor(1.0), name: torch.tensor(float(number))})
            hub.update_scalar("loss", 1.0)
            hub.update_scalar("shared", 2.0, count=2)
            if number % 50 == 0:
                hub.get_scalar("loss").mean()
                hub.state_dict()

    threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(hub.get_scalar("loss")) == 4000
    assert hub.get_scalar("shared").mean() == 1.0
    assert hub.get_scalar("t2").data[0].tolist() == [float(n) for n in range(500)]


def test_pickling_and_copying_carry_what_is_resumed(hub: MessageHub) -> None:
    hub.update_scalar("loss", 0.1)
    hub.update_scalar("lr", 0.1, resumed=False)
    hub.update_info("iter", 1)
    hub.update_info("feat", [1, 2, 3], resumed=False)

    for other in (pickle.loads(pickle.dumps(hub)), copy.deepcopy(hub)):
        assert other.get_scalar("loss").current() == 0.1
        assert other.get_info("iter") == 1
        assert other.get_info("feat") is None
        assert "lr" not in other.log_scalars
        assert MessageHub.get_instance("run") is hub


def test_a_history_shared_by_two_hubs_loses_nothing(hub: MessageHub) -> None:
    torch = pytest.importorskip("torch")
    hub.update_scalar("loss", torch.tensor(1.0))
    other = MessageHub("other", log_scalars={"loss": hub.log_scalars["loss"]})
    other.update_scalar("loss", torch.tensor(2.0))

    assert hub.get_scalar("loss").data[0].tolist() == [1.0, 2.0]


def test_copies_to_the_host_are_counted_whatever_the_number_of_keys(hub: MessageHub) -> None:
    torch = pytest.importorskip("torch")
    for _ in range(3):
        hub.update_scalars({f"loss_{i}": torch.tensor(1.0) for i in range(20)})
    hub.collect()
    hub.collect()

    assert hub.num_reads == 1
