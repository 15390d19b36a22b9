from __future__ import annotations

import numpy as np
import pytest

from tk_evaluator.arrangement import Plan, by_index, doubts, gaps, interleaved
from tk_evaluator.sample_tags import Kind, Share


def plan(kinds: list[Kind], counts: list[int], size: int, seen: int | None = None) -> Plan:
    return Plan([Share(c, k, seen) for k, c in zip(kinds, counts, strict=True)], size)


@pytest.mark.parametrize(
    ("kinds", "kind"),
    [
        (["indexed", "nothing"], "indexed"),
        (["indexed", "per sample"], "per sample"),
        (["per batch", "indexed"], "per batch"),
        (["unwatched", "nothing"], "unwatched"),
        (["nothing", "nothing"], "nothing"),
    ],
    ids=str,
)
def test_the_least_exact_rank_decides_what_entries_are(kinds: list[Kind], kind: Kind) -> None:
    assert plan(kinds, [1, 1], 2).kind == kind


@pytest.mark.parametrize(
    ("kind", "counts", "size", "kept"),
    [
        ("per sample", [2, 2], 3, 3),
        ("per sample", [4, 4], 3, 3),
        ("per batch", [2, 2], 3, 4),
        ("unwatched", [2, 2], 3, 3),
        ("unwatched", [4, 4], 3, 8),
        ("per sample", [4], 3, 4),
        ("per sample", [1, 1], 3, 2),
    ],
)
def test_only_padding_is_cut(kind: Kind, counts: list[int], size: int, kept: int) -> None:
    assert plan([kind] * len(counts), counts, size).num_kept == kept


def test_order_by_index_keeps_the_first_of_a_sample() -> None:
    assert by_index(np.array([3, 0, 3, 1, 0])).tolist() == [1, 3, 0]


def test_interleaving_takes_one_of_each_rank_in_turn() -> None:
    assert interleaved([3, 1, 2]).tolist() == [0, 3, 4, 1, 5, 2]


def test_gaps_name_the_first_missing_samples() -> None:
    assert "3 of 5 samples have no result: 1, 3, 4;" in str(gaps(np.array([0, 2]), 5))
    assert ", ...;" in str(gaps(np.array([0]), 50))


def test_no_gap_is_claimed_for_a_part_of_a_larger_data_set() -> None:
    assert gaps(np.array([10, 12]), 2) is None


@pytest.mark.parametrize(
    ("kind", "seen", "said"),
    [
        ("per batch", 2, "only 4 of 5 samples"),
        ("per batch", 3, "6 samples were shown for a data set of 5"),
        ("per sample", None, "only 2 of 5 samples"),
        ("per batch", None, "None"),
        ("unwatched", None, "None"),
    ],
)
def test_counts_that_do_not_add_up_are_said(kind: Kind, seen: int | None, said: str) -> None:
    assert said in str(doubts(plan([kind, kind], [1, 1], 5, seen)))
