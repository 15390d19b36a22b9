from __future__ import annotations

import pytest

from tk_evaluator import SettingsError
from tk_evaluator.sample_tags import SampleTags, Share, num_samples_of


def test_one_entry_a_sample_is_indexed() -> None:
    tags = SampleTags()
    tags.note(2, [4, 1], 2)
    tags.note(1, [3], 1)

    assert tags.share(3) == Share(3, "indexed", 3)
    assert tags.indices().tolist() == [4, 1, 3]


def test_one_other_batch_makes_all_entries_per_batch() -> None:
    tags = SampleTags()
    tags.note(1, [0], 1)
    tags.note(1, [1, 2, 3], 3)

    assert tags.share(2) == Share(2, "per batch", 4)


def test_without_indices_entries_can_still_be_one_a_sample() -> None:
    tags = SampleTags()
    tags.note(2, None, 2)

    assert tags.share(2) == Share(2, "per sample", None)


def test_entries_that_nobody_watched_are_known_as_such() -> None:
    tags = SampleTags()

    assert tags.share(5) == Share(5, "unwatched", None)


def test_no_entries_are_nothing() -> None:
    assert SampleTags().share(0) == Share(0, "nothing", 0)


def test_indices_come_in_the_order_of_the_entries() -> None:
    tags = SampleTags()
    for batch in ([3, 1], [], [2]):
        tags.note(len(batch), batch, len(batch))

    assert tags.indices().tolist() == [3, 1, 2]


def test_a_broken_promise_of_one_entry_a_sample_is_an_error() -> None:
    with pytest.raises(SettingsError, match="added 1 results for 2 indices"):
        SampleTags(per_sample=True).note(1, [0, 1], 2)


def test_a_metric_that_says_so_is_per_batch_even_for_single_samples() -> None:
    tags = SampleTags(per_sample=False)
    tags.note(1, [0], 1)

    assert tags.share(1).kind == "per batch"


@pytest.mark.parametrize(("samples", "count"), [([1, 2], 2), ({"a": 1}, None), (3, None)])
def test_samples_are_counted_where_they_can_be(samples: object, count: int | None) -> None:
    assert num_samples_of(samples) == count
