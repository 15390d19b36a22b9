from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tk_logging import MessageHub  # noqa: E402  # after the check for torch
from tk_logging.transfer import Copy, start_copy  # noqa: E402


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.int64, torch.bool])
def test_numbers_of_every_kind_become_floats(dtype: Any) -> None:
    copy = Copy(torch.tensor([1, 0], dtype=dtype))

    assert copy.is_done()
    assert copy.numbers() == [1.0, 0.0]
    assert {type(number) for number in copy.numbers()} == {float}


def test_a_cpu_has_nothing_to_wait_for() -> None:
    copy = start_copy(torch.tensor([1.0, 2.0]))

    assert copy.is_done()
    assert copy.numbers() == [1.0, 2.0]


class Event:
    """Stands in for the event of a device."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def record(self, stream: str) -> None:
        self.calls.append(("record", stream))

    def query(self) -> bool:
        return False

    def synchronize(self) -> None:
        self.calls.append("synchronize")


def test_a_device_with_streams_is_copied_into_pinned_memory_behind_an_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def empty(shape: Any, *, dtype: Any, device: str, pin_memory: bool) -> Any:
        assert (device, pin_memory) == ("cpu", True)
        return real_empty(shape, dtype=dtype)

    class OnDevice(torch.Tensor):
        device = SimpleNamespace(type="fake")

    real_empty = torch.empty
    runtime = SimpleNamespace(Event=Event, current_stream=lambda device: f"stream of {device.type}")
    monkeypatch.setattr(torch, "fake", runtime, raising=False)
    monkeypatch.setattr(torch, "empty", empty)
    copy = start_copy(torch.tensor([1.0, 2.0]).as_subclass(OnDevice))

    assert not copy.is_done()
    assert copy.numbers() == [1.0, 2.0]
    assert copy._event.calls == [("record", "stream of fake"), "synchronize"]


@pytest.mark.cuda
def test_on_cuda_an_asynchronous_line_never_waits() -> None:
    hub = MessageHub.get_instance("cuda")
    hub.update_scalars({"a": torch.tensor(1.0, device="cuda"), "lr": 0.1})
    hub.collect_async()
    torch.cuda.synchronize()
    torch.cuda._sleep(1_000_000_000)  # half a second of work in front of the next copy
    hub.update_scalars({"a": torch.tensor(0.0, device="cuda") + 2, "lr": 0.1})
    hub.collect_async()

    assert hub.get_scalar("a").current() == 1.0
    torch.cuda.synchronize()
    assert hub.get_scalar("a").current() == 2.0


@pytest.mark.cuda
def test_on_cuda_updates_do_not_synchronize() -> None:
    hub = MessageHub.get_instance("cuda")
    losses = {f"loss_{n}": torch.tensor(float(n), device="cuda") for n in range(20)}
    torch.cuda.set_sync_debug_mode("error")
    try:
        for _ in range(3000):
            hub.update_scalars(losses)
            hub.update_scalar("grad_norm", losses["loss_3"])
    finally:
        torch.cuda.set_sync_debug_mode("default")

    assert hub.get_scalar("loss_3").mean() == 3.0
