from __future__ import annotations

import gc
import random
import weakref
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from reads import CountReads  # noqa: E402  # needs torch

from tk_logging import HistoryBuffer, MessageHub, pending  # noqa: E402


def loss_of(value: float) -> Any:
    return torch.tensor(value, requires_grad=True) * 1.0


# -- reads, counted ---------------------------------------------------------------


@pytest.mark.parametrize("interval", [10, 50])
@pytest.mark.parametrize("num_losses", [1, 5, 20])
@pytest.mark.parametrize("with_grad_norm", [False, True], ids=["plain", "clipped"])
def test_there_is_one_read_for_each_log_line(
    hub: MessageHub, num_losses: int, interval: int, *, with_grad_norm: bool
) -> None:
    names = [f"train/loss_{n}" for n in range(num_losses)]
    num_lines = 0
    with CountReads() as counter:
        for iteration in range(1, 201):
            hub.update_scalars({name: loss_of(float(iteration)) for name in names})
            hub.update_scalar("train/lr", 0.1)
            if with_grad_norm:
                hub.update_scalar("train/grad_norm", torch.tensor(float(iteration)))
            if iteration % interval == 0:
                num_lines += 1
                line = {name: hub.get_scalar(name).mean(10) for name in hub.log_scalars}
                assert line[names[-1]] == iteration - 4.5

    assert num_lines == 200 // interval
    assert counter.reads == num_lines


def test_collecting_first_is_the_one_read(hub: MessageHub) -> None:
    hub.update_scalars({"a": loss_of(1.0), "b": loss_of(2.0)})
    with CountReads() as counter:
        hub.collect()
        assert counter.reads == 1
        hub.get_scalar("a").mean()
        hub.get_scalar("b").current()
        hub.state_dict()

    assert counter.reads == 1


def test_families_of_dtypes_are_read_separately_and_mix_inside(hub: MessageHub) -> None:
    single = (torch.float32, torch.bfloat16, torch.float16)
    double = (torch.float64,)
    whole = (torch.int64, torch.int32, torch.uint8, torch.bool)
    for dtype in (*single, *double, *whole):
        hub.update_scalar(str(dtype), torch.tensor(1, dtype=dtype))
    with CountReads() as counter:
        hub.collect()

    assert counter.reads == 3
    assert {history.current() for history in hub.log_scalars.values()} == {1.0}


def test_a_history_of_numbers_is_read_without_reading_a_device(hub: MessageHub) -> None:
    hub.update_scalars({"loss": loss_of(1.0), "lr": 0.1})
    with CountReads() as counter:
        assert hub.get_scalar("lr").current() == 0.1

    assert counter.reads == 0


# -- what is recorded ---------------------------------------------------------------


@pytest.mark.parametrize("together", [True, False], ids=["row", "single"])
def test_later_changes_of_a_tensor_do_not_change_the_record(
    hub: MessageHub, *, together: bool
) -> None:
    running = torch.zeros(())
    for _ in range(3):
        running += 1.0
        if together:
            hub.update_scalars({"loss": running, "twice": 2 * running})
        else:
            hub.update_scalar("loss", running)
    running.zero_()

    assert hub.get_scalar("loss").data[0].tolist() == [1.0, 2.0, 3.0]


def test_the_graph_is_not_kept_alive(hub: MessageHub) -> None:
    weight = torch.ones(3, requires_grad=True)
    losses = [weight.sum() * factor for factor in (1.0, 2.0, 3.0)]
    nodes = [weakref.ref(loss) for loss in losses]
    hub.update_scalar("a", losses[0])
    hub.update_scalars({"b": losses[1], "c": losses[2]})
    del losses
    gc.collect()

    assert [node() for node in nodes] == [None, None, None]
    assert hub.get_scalar("c").current() == 9.0


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_survives(hub: MessageHub, value: float) -> None:
    for _ in range(2000):
        hub.update_scalar("loss", torch.tensor(value))

    history = hub.get_scalar("loss")
    assert {repr(history.current()), repr(history.max()), repr(history.min())} == {repr(value)}


def test_tensors_of_one_element_in_any_shape(hub: MessageHub) -> None:
    for shape in ((), (1,), (1, 1, 1)):
        hub.update_scalar("one", torch.full(shape, 2.0))
        hub.update_scalars({"two": torch.full(shape, 3.0), "three": torch.tensor(4.0)})

    assert hub.get_scalar("one").data[0].tolist() == [2.0] * 3
    assert hub.get_scalar("two").data[0].tolist() == [3.0] * 3


def test_tensors_made_in_inference_mode(hub: MessageHub) -> None:
    with torch.inference_mode():
        hub.update_scalars({"a": torch.tensor(1.0), "b": torch.tensor(2.0)})
        hub.update_scalar("a", torch.tensor(3.0))
    hub.update_scalar("a", loss_of(5.0))

    assert hub.get_scalar("a").mean() == 3.0


def test_rare_dtypes_are_widened(hub: MessageHub) -> None:
    hub.update_scalar("small", torch.tensor(1.5).to(torch.float8_e5m2))
    hub.update_scalars({"small": torch.tensor(2.5).to(torch.float8_e5m2), "big": torch.tensor(1.0)})

    assert hub.get_scalar("small").mean() == 2.0


def test_results_are_python_floats(hub: MessageHub) -> None:
    hub.update_scalar("whole", torch.tensor(3))

    history = hub.get_scalar("whole")
    assert [type(f()) for f in (history.mean, history.min, history.current)] == [float] * 3


def test_a_value_spread_over_ranks_is_gathered_when_it_is_given(hub: MessageHub) -> None:
    class Spread(torch.Tensor):
        gathered = 0

        def full_tensor(self) -> Any:
            type(self).gathered += 1
            return torch.tensor(5.0)

    hub.update_scalar("grad_norm", torch.tensor(1.0).as_subclass(Spread))
    assert Spread.gathered == 1

    assert hub.get_scalar("grad_norm").current() == 5.0
    assert Spread.gathered == 1


# -- bounds and order ----------------------------------------------------------------


def test_what_nobody_reads_is_brought_over_now_and_then(hub: MessageHub) -> None:
    for number in range(20_000):
        hub.update_scalars({"a": torch.tensor(float(number)), "b": torch.tensor(-1.0)})

    assert hub.num_reads == 20_000 // pending.ROWS_BEFORE_COPY
    assert hub._pending._num_rows < pending.ROWS_BEFORE_COPY
    history = hub.get_scalar("a")
    assert len(history) == 20_000
    assert history.data[0].tolist() == [float(n) for n in range(19_000, 20_000)]
    assert (history.mean(), history.min(), history.max()) == (9999.5, 0.0, 19_999.0)


def test_numbers_behind_an_unread_tensor_are_bounded(hub: MessageHub) -> None:
    hub.update_scalar("loss", torch.tensor(1.0))
    for _ in range(3 * pending.ROWS_BEFORE_COPY):
        hub.update_scalar("loss", 2.0)

    assert len(hub._pending._log) <= pending.ROWS_BEFORE_COPY
    assert hub.get_scalar("loss").min() == 1.0


@pytest.mark.parametrize("together", [True, False], ids=["sets", "single"])
def test_many_keys_are_bounded(hub: MessageHub, *, together: bool) -> None:
    for number in range(3000):
        if together:
            hub.update_scalars({f"a{number}": torch.tensor(1.0), "b": torch.tensor(float(number))})
        else:
            hub.update_scalar(f"a{number}", torch.tensor(float(number)))

    assert len(hub._pending._log) < pending.ROWS_BEFORE_COPY
    assert hub.num_reads == 3000 // pending.ROWS_BEFORE_COPY
    if together:
        assert hub.get_scalar("b").data[0].tolist() == [float(n) for n in range(2000, 3000)]


class SlowCopy:
    """A copy to the host that completes when the test says so."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor.clone()
        self.done = False
        self.waited = False

    def is_done(self) -> bool:
        return self.done

    def numbers(self) -> list[float]:
        self.waited = not self.done
        numbers: list[float] = self.tensor.tolist()
        return numbers


class SlowDevice:
    def __init__(self) -> None:
        self.copies: list[SlowCopy] = []

    def start(self, tensor: Any) -> SlowCopy:
        self.copies.append(SlowCopy(tensor))
        return self.copies[-1]


class Model:
    """The plain, slow way to say what a history holds."""

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self.values: dict[str, list[float]] = {"a": [], "b": [], "c": []}
        self.counts: dict[str, list[int]] = {"a": [], "b": [], "c": []}
        self.begin: dict[str, dict[str, int]] = {}

    def update(self, key: str, value: float, count: int) -> None:
        self.values[key].append(value)
        self.counts[key].append(count)

    def open_window(self, name: str) -> None:
        self.begin[name] = {key: len(values) for key, values in self.values.items()}

    def check(self, hub: MessageHub) -> None:
        hub.collect()
        for key, values in self.values.items():
            if key not in hub.log_scalars or not values:
                continue
            history, counts = hub.get_scalar(key), self.counts[key]
            assert history.data[0].tolist() == values[-self.keep :]
            assert history.data[1].tolist() == counts[-self.keep :]
            assert len(history) == len(values)
            assert history.mean() == sum(values) / sum(counts)  # of whole numbers: exact
            assert (history.min(), history.max()) == (min(values), max(values))
            for name, begins in self.begin.items():
                since, number = values[begins[key] :], sum(counts[begins[key] :])
                if since:
                    assert history.mean(name) == sum(since) / number
                    assert (history.min(name), history.max(name)) == (min(since), max(since))


@pytest.mark.parametrize("seed", range(40))
def test_any_order_of_updates_reads_and_windows_gives_what_a_plain_list_gives(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(pending, "ROWS_BEFORE_COPY", rng.choice([1, 2, 5, 1024]))
    keep = rng.choice([3, 8])
    hub = MessageHub.get_instance("model", history_length=keep)
    device = SlowDevice()
    hub._pending = pending.PendingScalars(hub._lock, start=device.start)
    model = Model(keep)
    dtypes = [torch.float32, torch.float64, torch.int64]
    for _ in range(rng.choice([60, 300])):
        action = rng.random()
        keys = rng.sample(["a", "b", "c"], k=rng.choice([1, 1, 2, 3]))
        entries = {key: (float(rng.randrange(1000)), rng.choice([1, 1, 2])) for key in keys}
        if action < 0.05:
            name = rng.choice(["epoch", "stage"])
            hub.open_window(name)
            model.open_window(name)
            continue
        if action < 0.08:
            model.check(hub)
            continue
        if action < 0.11:
            hub.collect_async()
            for copy in device.copies[: -rng.randrange(1, 4)]:
                copy.done = True
            continue
        kind = rng.choice([None, *dtypes])
        given = {
            key: {"value": torch.tensor(value, dtype=kind) if kind else value, "count": count}
            for key, (value, count) in entries.items()
        }
        if rng.random() < 0.5:
            hub.update_scalars(given)
        else:
            for key, entry in given.items():
                hub.update_scalar(key, **entry)
        for key, (value, count) in entries.items():
            model.update(key, value, count)

    model.check(hub)


def test_a_history_that_was_replaced_keeps_its_values_to_itself(hub: MessageHub) -> None:
    hub.update_scalar("loss", torch.tensor(1.0))
    hub.log_scalars["loss"] = HistoryBuffer()
    hub.update_scalar("loss", torch.tensor(5.0))

    assert hub.get_scalar("loss").data[0].tolist() == [5.0]


# -- without waiting ---------------------------------------------------------------------


@pytest.fixture
def device(hub: MessageHub) -> SlowDevice:
    device = SlowDevice()
    hub._pending = pending.PendingScalars(hub._lock, start=device.start)
    return device


def test_an_asynchronous_line_shows_the_interval_before(
    hub: MessageHub, device: SlowDevice
) -> None:
    hub.update_scalars({"a": torch.tensor(1.0), "b": torch.tensor(10.0)})
    hub.collect_async()
    device.copies[0].done = True
    hub.update_scalars({"a": torch.tensor(2.0), "b": torch.tensor(20.0)})
    with CountReads() as counter:
        hub.collect_async()
        line = (hub.get_scalar("a").current(), hub.get_scalar("b").mean())

    assert line == (1.0, 10.0)
    assert counter.reads == 1  # of the first copy, in host memory
    assert not any(copy.waited for copy in device.copies)


def test_the_first_asynchronous_line_waits_since_there_is_nothing_older(
    hub: MessageHub, device: SlowDevice
) -> None:
    hub.update_scalar("a", torch.tensor(1.0))
    hub.collect_async()

    assert hub.get_scalar("a").current() == 1.0
    assert device.copies[0].waited


def test_a_reader_after_further_updates_gets_everything(
    hub: MessageHub, device: SlowDevice
) -> None:
    hub.update_scalar("a", torch.tensor(1.0))
    hub.collect_async()
    hub.update_scalar("a", torch.tensor(2.0))

    assert hub.get_scalar("a").data[0].tolist() == [1.0, 2.0]


def test_a_saved_state_is_complete(hub: MessageHub, device: SlowDevice) -> None:
    for number in range(3):
        hub.update_scalar("a", torch.tensor(float(number)))
        hub.collect_async()

    saved = hub.state_dict()
    assert HistoryBuffer.from_state_dict(saved["log_scalars"]["a"]).data[0].tolist() == [0, 1, 2]


def test_numbers_behind_a_copy_keep_their_place(hub: MessageHub, device: SlowDevice) -> None:
    hub.update_scalar("a", 0.0)
    hub.update_scalar("a", torch.tensor(1.0))
    hub.collect_async()
    hub.update_scalar("a", 2.0)

    assert hub.get_scalar("a").current() == 0.0
    device.copies[0].done = True
    assert hub.get_scalar("a").data[0].tolist() == [0.0, 1.0, 2.0]


def test_a_window_opened_behind_a_copy_is_waited_for(hub: MessageHub, device: SlowDevice) -> None:
    hub.update_scalar("a", torch.tensor(1.0))
    hub.collect_async()
    hub.open_window("epoch")
    hub.update_scalar("a", torch.tensor(3.0))
    hub.collect_async()

    assert hub.get_scalar("a").mean("epoch") == 3.0


def test_a_run_that_nobody_reads_waits_for_no_copy(hub: MessageHub, device: SlowDevice) -> None:
    for number in range(10 * pending.ROWS_BEFORE_COPY):
        hub.update_scalars({"a": torch.tensor(float(number)), "b": torch.tensor(1.0)})
        for copy in device.copies[:-2]:
            copy.done = True

    assert len(device.copies) == 10
    assert not any(copy.waited for copy in device.copies)


def test_copies_on_their_way_are_bounded(hub: MessageHub, device: SlowDevice) -> None:
    for number in range(20):
        hub.update_scalar("a", torch.tensor(float(number)))
        hub.collect_async()

    assert len(hub._pending._shipments) <= pending.MAX_IN_FLIGHT
    assert hub.get_scalar("a").current() == 15.0


def test_a_device_that_fails_loses_nothing(hub: MessageHub) -> None:
    fails = True

    def start(tensor: Any) -> Any:
        if fails:
            raise RuntimeError("device-side assert")
        return pending.Copy(tensor)

    hub._pending = pending.PendingScalars(hub._lock, start=start)
    hub.update_scalar("a", torch.tensor(1.0))
    with pytest.raises(RuntimeError, match="device-side assert"):
        hub.collect_async()
    fails = False
    hub.update_scalar("a", torch.tensor(2.0))
    hub.collect_async()

    assert hub.get_scalar("a").data[0].tolist() == [1.0, 2.0]


def test_values_of_one_key_may_change_their_kind_from_one_to_the_next() -> None:
    hub = MessageHub("changing")
    alike = torch.tensor(1.0)
    changing = [
        alike,
        alike,
        torch.tensor(2.0, requires_grad=True),
        torch.tensor([3.0]),
        torch.tensor(4.0, dtype=torch.float64),
        torch.tensor(5),
        torch.nn.Parameter(torch.tensor(6.0)),
    ]
    for value in changing:
        hub.update_scalar("train/loss", value)
    alike.zero_()  # what was recorded, stays

    assert list(hub.get_scalar("train/loss").data[0]) == [1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
