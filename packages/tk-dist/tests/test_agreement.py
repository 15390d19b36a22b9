"""Ranks that do not make the same call are told what each of them brought."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tk_dist
from tk_dist import ShapeError, agreement, launch

CALLS: dict[str, Callable[[int], object]] = {
    "shape": lambda rank: tk_dist.all_reduce(torch.ones(2 + rank)),
    "dtype": lambda rank: tk_dist.all_gather(torch.ones(2, dtype=[torch.int32, torch.int64][rank])),
    "operation": lambda rank: tk_dist.all_reduce(torch.ones(2), ["sum", "max"][rank]),
    "source": lambda rank: tk_dist.broadcast(torch.ones(2), src=rank),
    "destination": lambda rank: tk_dist.gather(torch.ones(2), dst=rank),
    "call": lambda rank: [tk_dist.all_reduce, tk_dist.broadcast][rank](torch.ones(2)),
    "keys": lambda rank: tk_dist.all_reduce_dict({"ab"[rank]: torch.ones(2)}),
    "parameters": lambda rank: tk_dist.all_reduce_params([torch.ones(2)] * (1 + rank)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_disagreement_is_raised_on_every_rank(call: Callable[[int], object]) -> None:
    def texts() -> str:
        with pytest.raises(ShapeError, match="do not make the same call") as seen:
            call(tk_dist.get_rank())
        return str(seen.value)

    first, second = launch(texts, 2)

    assert first == second
    assert "- rank 0: " in first
    assert "- rank 1: " in first


def test_the_shapes_are_listed() -> None:
    def mismatched() -> None:
        tk_dist.all_reduce(torch.ones(2, 3 + tk_dist.get_rank()))

    with pytest.raises(tk_dist.RankFailedError) as seen:
        launch(mismatched, 3)

    for rank, shape in enumerate(["(2, 3)", "(2, 4)", "(2, 5)"]):
        assert f"- rank {rank}: all_reduce('sum') of float32 {shape}" in str(seen.value)


def test_after_a_disagreement_the_group_still_works() -> None:
    def recovers() -> float:
        with pytest.raises(ShapeError):
            tk_dist.all_reduce(torch.ones(1 + tk_dist.get_rank()))
        total = torch.ones(1)
        tk_dist.all_reduce(total)
        return float(total)

    assert launch(recovers, 2) == [2.0, 2.0]


def test_on_an_accelerator_it_is_checked_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "get_comm_device", lambda group: torch.device("meta"))
    agreement.check_agreement("call", None)  # without a group, sending would raise
    monkeypatch.setenv("TKIT_DIST_CHECK", "1")

    with pytest.raises(ValueError, match="not been initialized"):
        agreement.check_agreement("call", None)
