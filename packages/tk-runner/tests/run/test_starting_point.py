from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tk_runner.checkpoint import CorruptCheckpointError
from tk_runner.run.starting_point import StartingPoint, choose_starting_point, newest_checkpoint
from tk_runner.settings.groups import StartSettings


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, StartingPoint()),
        ({"load_from": "a.pth"}, StartingPoint("a.pth")),
        ({"resume": True}, StartingPoint("newest.pth", continues=True, is_verified=True)),
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


def test_a_folder_whose_checkpoints_are_all_damaged_is_not_begun_anew(tmp_path: Path) -> None:
    for name in ("epoch_1.pth", "epoch_2.pth"):
        (tmp_path / name).write_bytes(bytes(100))

    with pytest.raises(CorruptCheckpointError, match=r"(?s)epoch_1\.pth.*epoch_2\.pth") as caught:
        newest_checkpoint([(str(tmp_path), None)])

    assert "move these files away to begin anew" in str(caught.value)


def test_weights_that_lie_in_the_folder_do_not_stop_a_fresh_start(tmp_path: Path) -> None:
    torch.save({"state_dict": {"w": torch.ones(1)}}, tmp_path / "pretrained.pth")

    assert newest_checkpoint([(str(tmp_path), None)]) is None


def test_the_next_place_is_searched_where_the_first_has_nothing(tmp_path: Path) -> None:
    state = {"meta": {"iter": 3}, "loop": {"iter": 3}}
    (tmp_path / "out").mkdir()
    torch.save(state, tmp_path / "out" / "iter_3.pth")
    places = [(str(tmp_path), None), (str(tmp_path / "out"), None)]

    assert newest_checkpoint(places) == str(tmp_path / "out" / "iter_3.pth")
