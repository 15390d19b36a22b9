"""The in-memory and the spilled way give the same order; several ranks are in test_ranks.py."""

from __future__ import annotations

from evaluator_toys import Listing

from tk_dist import get_rank, launch
from tk_evaluator import Evaluator


def uneven(spill_after: int | None) -> list[int]:
    """Rank 1 is far behind the limit for spilling, rank 0 far beyond it; no indices."""
    evaluator = Evaluator(Listing(), spill_after=spill_after)
    for number in range(5 if get_rank() == 0 else 1):
        evaluator.process([10 * get_rank() + number, 100 + 10 * get_rank() + number])
    return list(evaluator.evaluate(12)["listing/entries"])


def test_a_rank_that_has_not_spilled_takes_part() -> None:
    spilled = launch(uneven, 2, 4, timeout_s=30.0)

    assert spilled == launch(uneven, 2, None, timeout_s=30.0)
    assert spilled[0][:4] == [0, 10, 100, 110]
