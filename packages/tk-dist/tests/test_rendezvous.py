"""Where the ranks meet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.distributed as torch_dist

from tk_dist import LauncherError
from tk_dist.environments import Place
from tk_dist.rendezvous import attempt_prefix, meet, refuse_shared_device

PLACE = Place(rank=1, world_size=2, local_rank=1, init_method="env://")


def test_a_restart_does_not_read_what_the_attempt_before_wrote(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = torch_dist.HashStore()  # type: ignore[attr-defined]

    def rendezvous(*_: object, **__: object) -> Iterator[Any]:
        yield kept, 1, 2

    monkeypatch.setattr(torch_dist, "rendezvous", rendezvous)
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "0")
    meet(PLACE, None).set("failure", "rank 1")
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")

    assert not meet(PLACE, None).check(["failure"])


def test_attempts_differ_by_their_number_and_by_their_ranks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TORCHELASTIC_RESTART_COUNT", raising=False)
    assert attempt_prefix(2) == ""

    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "0")
    prefixes = {attempt_prefix(2), attempt_prefix(4)}
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")

    assert len({*prefixes, attempt_prefix(2)}) == 3


def test_a_device_that_another_rank_uses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_dist.rendezvous.device_identity", lambda device: f"GPU-{device.index}")
    store: Any = torch_dist.HashStore()  # type: ignore[attr-defined]
    refuse_shared_device(store, PLACE, torch.device("cuda", 0))
    refuse_shared_device(store, PLACE, torch.device("cuda", 1))

    with pytest.raises(LauncherError, match=r"would use cuda:0, which another.*backend='gloo'"):
        refuse_shared_device(store, PLACE, torch.device("cuda", 0))


def test_devices_that_cannot_be_told_apart_are_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tk_dist.rendezvous.device_identity", lambda device: "")
    store: Any = torch_dist.HashStore()  # type: ignore[attr-defined]
    for _ in range(2):
        refuse_shared_device(store, PLACE, torch.device("cuda", 0))

    assert store.num_keys() == 0
