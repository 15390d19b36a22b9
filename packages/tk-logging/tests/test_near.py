from __future__ import annotations

from tk_logging.near import meant


def test_a_near_name_is_asked_for() -> None:
    assert meant("los", ["loss", "lr"], "record it") == "did you mean 'loss'?"


def test_without_a_near_name_there_is_the_way_out() -> None:
    assert meant("zzz", ["loss"], "record it") == "record it"
