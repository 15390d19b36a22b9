from __future__ import annotations

import json

import pytest

from tk_runner.checkpoint import UnsafeCheckpointError
from tk_runner.hooks.retention import RegularFiles, Retention


def surviving(rules: Retention, counts: range, *, seconds: float = 0.0) -> list[int]:
    """Counts of the files that are there at the end."""
    files, there = RegularFiles(rules), set()
    for count in counts:
        files.add(f"{count}", count, seconds)
        there.add(f"{count}")
        there -= set(files.take_obsolete())
    return sorted(map(int, there))


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (Retention(), [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (Retention(newest=2), [8, 9]),
        (Retention(newest=2, every=4), [4, 8, 9]),
        (Retention(newest=1, every_hours=2), [4, 8, 9]),  # a file each half an hour
        (Retention(newest=1, every=3, every_hours=2), [3, 4, 6, 8, 9]),
    ],
)
def test_the_newest_survive_and_those_that_a_rule_keeps(
    rules: Retention, expected: list[int]
) -> None:
    assert surviving(rules, range(1, 10), seconds=1800.0) == expected


def test_what_goes_is_in_the_state_that_is_written_before_it_goes() -> None:
    files = RegularFiles(Retention(newest=1))
    for count in (1, 2):
        files.add(f"{count}", count, 0.0)
    resumed = RegularFiles(Retention(newest=1))

    resumed.load_state_dict(json.loads(json.dumps(files.state_dict())))

    assert resumed.take_obsolete() == ["1"]
    assert resumed.take_obsolete() == []


def test_hours_go_on_counting_in_a_resumed_run() -> None:
    files = RegularFiles(Retention(newest=1, every_hours=1))
    files.add("1", 1, 3000.0)
    resumed = RegularFiles(Retention(newest=1, every_hours=1))
    resumed.load_state_dict(files.state_dict())
    for count in (2, 3):
        resumed.add(f"{count}", count, 700.0)

    assert resumed.take_obsolete() == ["1"]


@pytest.mark.parametrize("key", ["kept", "kept_for_good", "obsolete"])
def test_a_state_that_names_files_elsewhere_is_refused(key: str) -> None:
    state = {"kept": [], "kept_for_good": [], "obsolete": [], key: ["../thesis.tex"]}

    with pytest.raises(UnsafeCheckpointError, match=r"'\.\./thesis\.tex'"):
        RegularFiles(Retention()).load_state_dict(state)


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (Retention(newest=0), "max_keep_ckpts=0 keeps nothing"),
        (Retention(newest=1, every=0), "keep_every=0"),
        (Retention(newest=1, every_hours=-1), "keep_every_hours=-1"),
        (Retention(every=2), "set max_keep_ckpts"),
    ],
)
def test_rules_that_cannot_work_are_told(rules: Retention, text: str) -> None:
    assert text in " ".join(rules.problems())
