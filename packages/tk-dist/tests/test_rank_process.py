"""What a rank reports when its function ended."""

from __future__ import annotations

import pytest

from tk_dist import RankFailedError, launch


class Unloadable(Exception):
    """Can be pickled, but not loaded again: it needs two arguments and keeps one."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)


def test_an_error_that_cannot_be_sent_is_still_told_by_its_traceback() -> None:
    def fails() -> None:
        raise Unloadable("odd one", 3)

    with pytest.raises(RankFailedError, match="odd one") as seen:
        launch(fails, 1)
    assert seen.value.__cause__ is None


def test_a_rank_that_exits_by_itself_has_failed() -> None:
    def leaves() -> None:
        raise SystemExit(0)

    with pytest.raises(RankFailedError, match="SystemExit: 0"):
        launch(leaves, 2)
