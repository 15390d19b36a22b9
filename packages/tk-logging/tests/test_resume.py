from __future__ import annotations

import enum
import io
import json
import math
import random
from typing import Any

import numpy as np
import pytest

from tk_logging import HistoryBuffer, MessageHub, StateError


class Level(enum.IntEnum):
    LOW = 1


class Custom:
    pass


def filled(name: str) -> MessageHub:
    hub = MessageHub.get_instance(name)
    for number in range(30):
        hub.update_scalars({"loss": 0.1 * number, "acc": {"value": number, "count": 2}})
    hub.update_scalar("lr", 0.1, resumed=False)
    hub.update_info_dict({"iter": 29, "name": "exp", "best": math.inf})
    hub.update_info("temporary", 1, resumed=False)
    return hub


def test_a_state_holds_what_is_resumed_and_comes_back() -> None:
    hub = filled("saved")
    state = hub.state_dict()
    other = MessageHub.get_instance("loaded")
    other.load_state_dict(state)

    assert set(state) == {"log_scalars", "runtime_info", "resumed_keys"}
    assert set(state["log_scalars"]) == {"loss", "acc"}
    assert other.runtime_info == {"iter": 29, "name": "exp", "best": math.inf}
    assert other.get_scalar("acc").mean(3) == hub.get_scalar("acc").mean(3)
    assert other.state_dict() == state


STATE_OF_VERSION_0_1: dict[str, Any] = {
    "log_scalars": {
        "train/loss": {
            "values": "f:4:c${NkfPjVr3<~!44h{eeX#!s",
            "counts": [[1, 4]],
            "max_length": 4,
            "total": [7.5, 6, 0.0, 2.5, 6],
            "windows": {"epoch": [4.5, 2, 2.0, 2.5, 2]},
        },
        "val/acc": {
            "values": "d:2:c${OH#V`{FWp+B)0{|yg1nd",
            "counts": [[8, 1], [1, 1]],
            "max_length": 4,
            "total": [7.1, 9, 0.1, 7.0, 2],
            "windows": {},
        },
    },
    "runtime_info": {"iter": 6, "experiment_name": "old"},
    "resumed_keys": {"train/loss": True, "val/acc": True, "iter": True, "experiment_name": True},
}


def test_a_state_with_packed_numbers_as_version_0_1_wrote_it_goes_on() -> None:
    hub = MessageHub.get_instance("loaded")
    hub.load_state_dict(STATE_OF_VERSION_0_1)
    hub.update_scalar("train/loss", 3.0)
    loss, accuracy = hub.get_scalar("train/loss"), hub.get_scalar("val/acc")

    assert loss.data[0].tolist() == [1.5, 2.0, 2.5, 3.0]
    assert (loss.mean(), len(loss), loss.mean("epoch")) == (1.5, 7, 2.5)
    assert (accuracy.mean(), accuracy.min(), accuracy.data[1].tolist()) == (7.1 / 9, 0.1, [8, 1])
    assert hub.runtime_info == {"iter": 6, "experiment_name": "old"}


def test_a_state_shares_nothing_with_the_hub() -> None:
    hub = filled("saved")
    numbers = [1]
    hub.update_info("numbers", numbers)
    state = hub.state_dict()
    numbers.append(2)
    hub.update_scalar("loss", 5.0)

    assert state["runtime_info"]["numbers"] == [1]
    assert HistoryBuffer.from_state_dict(state["log_scalars"]["loss"]).current() != 5.0


def test_a_state_survives_json() -> None:
    state = filled("saved").state_dict()

    assert json.loads(json.dumps(state)) == state


def test_a_state_loads_where_loading_runs_no_code() -> None:
    torch = pytest.importorskip("torch")
    hub = filled("saved")
    hub.update_scalar("tensor", torch.tensor(2.0))
    hub.update_info("weight", torch.ones(2, requires_grad=True) * 2)
    hub.open_window("epoch")
    file = io.BytesIO()
    torch.save(hub.state_dict(), file)
    file.seek(0)
    back = torch.load(file, weights_only=True)

    other = MessageHub.get_instance("loaded")
    other.load_state_dict(back)
    assert other.get_scalar("tensor").current() == 2.0
    assert other.get_info("weight").tolist() == [2.0, 2.0]
    assert other.get_scalar("loss").mean() == hub.get_scalar("loss").mean()


def test_twenty_keys_after_a_hundred_thousand_iterations_are_small() -> None:
    torch = pytest.importorskip("torch")
    rng = random.Random(0)
    hub = MessageHub.get_instance("long")
    for number in range(100_000):
        hub.update_scalars({"train/lr": 0.1 * 0.99**number, "train/time": rng.random()})
    for _ in range(1500):
        hub.update_scalars({f"train/loss_{n}": torch.tensor(rng.random()) for n in range(18)})
    file = io.BytesIO()
    torch.save(hub.state_dict(), file)

    assert len(hub.log_scalars) == 20
    assert len(file.getvalue()) < 200_000


def test_what_numpy_and_enums_hold_is_saved_as_builtins() -> None:
    hub = MessageHub.get_instance("saved")
    hub.update_info_dict(
        {
            "number": np.float32(0.5),
            "array": np.arange(3),
            "level": Level.LOW,
            "nested": {"shape": (np.int64(1), [2]), 3: {4}},
        }
    )
    info = hub.state_dict()["runtime_info"]

    assert info == {
        "number": 0.5,
        "array": [0, 1, 2],
        "level": 1,
        "nested": {"shape": (1, [2]), 3: [4]},
    }
    assert type(info["number"]) is float
    assert type(info["level"]) is int


def test_what_a_state_cannot_hold_is_left_out_and_named(caplog: pytest.LogCaptureFixture) -> None:
    hub = MessageHub.get_instance("saved")
    hub.update_info_dict({"iter": 1, "meta": {"palette": [Custom()]}})
    state = hub.state_dict()

    assert state["runtime_info"] == {"iter": 1}
    assert "meta" not in state["resumed_keys"]
    assert "meta.palette[0] is a" in caplog.text
    assert "pass resumed=False" in caplog.text


@pytest.mark.parametrize(
    ("state", "match"),
    [
        ({"log_scalars": {}}, "lacks runtime_info, resumed_keys"),
        ({}, "it has nothing"),
        ([1], "is a dict with log_scalars, runtime_info, resumed_keys, got list"),
    ],
)
def test_another_state_is_refused(state: Any, match: str) -> None:
    with pytest.raises(StateError, match=match):
        MessageHub.get_instance("loaded").load_state_dict(state)


def test_parts_that_do_not_fit_are_skipped_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hub = MessageHub.get_instance("loaded")
    hub.load_state_dict(
        {
            "log_scalars": {
                "bad": 3.0,
                "loss": HistoryBuffer([1.0], [1]),
                "damaged": {"values": 1},
            },
            "runtime_info": {"iter": 1},
            "resumed_keys": {"loss": True, "iter": False, "gone": True},
        }
    )

    assert list(hub.log_scalars) == ["loss"]
    assert hub.get_info("iter") == 1
    for part in ("'bad' is not a history", "'damaged'", "'gone'", "'iter' was saved though"):
        assert part in caplog.text


def test_a_hub_loads_from_another_hub() -> None:
    other = MessageHub.get_instance("loaded")
    other.load_state_dict(filled("saved"))

    assert other.get_info("iter") == 29


def test_windows_go_on_after_resuming() -> None:
    hub = filled("saved")
    hub.open_window("epoch")
    hub.update_scalar("loss", 4.0)
    other = MessageHub.get_instance("loaded")
    other.load_state_dict(hub.state_dict())
    other.update_scalars({"loss": 6.0, "new": 1.0})

    assert other.get_scalar("loss").mean("epoch") == 5.0
    assert other.get_scalar("new").mean("epoch") == 1.0


def test_keys_that_were_not_saved_stay() -> None:
    hub = MessageHub.get_instance("loaded")
    hub.update_scalar("mine", 1.0)
    hub.load_state_dict(filled("saved").state_dict())

    assert set(hub.log_scalars) == {"mine", "loss", "acc"}


def test_a_fact_that_cannot_be_copied_is_taken_over_itself(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hub, custom = MessageHub.get_instance("loaded"), Custom()
    hub.load_state_dict(
        {"log_scalars": {}, "runtime_info": {"meta": custom}, "resumed_keys": {"meta": True}}
    )

    assert hub.get_info("meta") is custom
    assert "cannot be copied" in caplog.text
