"""A line between the ranks beside the collectives."""

from __future__ import annotations

import tk_dist
from tk_dist import launch
from tk_dist.channel import open_channel


def test_alone_there_is_no_channel() -> None:
    assert open_channel("test") is None


def test_ranks_see_what_others_write_and_each_channel_is_new() -> None:
    def exchanged() -> tuple[int, int]:
        first, second = open_channel("test"), open_channel("test")
        assert first is not None
        assert second is not None
        first.add("count", 1)
        tk_dist.barrier()
        return first.add("count", 0), second.add("count", 0)

    assert launch(exchanged, 2) == [(2, 0), (2, 0)]
