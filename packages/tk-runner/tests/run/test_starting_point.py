from __future__ import annotations

from typing import Any

import pytest

from tk_runner.run.starting_point import StartingPoint, choose_starting_point
from tk_runner.settings.groups import StartSettings


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, StartingPoint()),
        ({"load_from": "a.pth"}, StartingPoint("a.pth")),
        ({"resume": True}, StartingPoint("newest.pth", continues=True)),
        ({"resume": "b.pth"}, StartingPoint("b.pth", continues=True)),
        ({"resume": True, "load_from": "a.pth"}, StartingPoint("a.pth", continues=True)),
    ],
    ids=["fresh", "weights", "newest", "named", "resume what load_from names"],
)
def test_a_run_begins_where_the_settings_say(
    settings: dict[str, Any], expected: StartingPoint
) -> None:
    assert choose_starting_point(StartSettings(**settings), lambda: "newest.pth") == expected


def test_a_resumed_run_without_a_checkpoint_begins_afresh() -> None:
    start = choose_starting_point(StartSettings(resume=True), lambda: None)

    assert start == StartingPoint(None, continues=True)


@pytest.mark.parametrize("settings", [{}, {"load_from": "a.pth"}, {"resume": "b.pth"}])
def test_the_newest_checkpoint_is_looked_for_only_where_it_is_wanted(
    settings: dict[str, Any],
) -> None:
    def newest() -> str | None:
        raise AssertionError("nobody asked for the newest checkpoint")

    assert choose_starting_point(StartSettings(**settings), newest).path != "newest.pth"
