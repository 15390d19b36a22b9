"""A line between the ranks beside the collectives."""

from __future__ import annotations

import tk_dist
from tk_dist import launch
from tk_dist.side_store import open_side_store


def test_alone_there_is_no_channel() -> None:
    assert open_side_store("test") is None


def test_ranks_see_what_others_write_and_each_channel_is_new() -> None:
    def exchanged() -> tuple[int, int]:
        first, second = open_side_store("test"), open_side_store("test")
        assert first is not None
        assert second is not None
        first.add("count", 1)
        tk_dist.barrier()
        return first.add("count", 0), second.add("count", 0)

    assert launch(exchanged, 2) == [(2, 0), (2, 0)]
