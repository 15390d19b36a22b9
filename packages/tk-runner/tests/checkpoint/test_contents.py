from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tk_runner.checkpoint import FORMAT_VERSION, KEYS, CheckpointError
from tk_runner.checkpoint.contents import migrated

TABLE = Path(__file__).parents[4] / "docs" / "reference" / "checkpoint-format.md"


def test_a_file_of_an_older_version_goes_up_step_by_step() -> None:
    def to_two(content: dict[str, Any]) -> dict[str, Any]:
        return {**content, "loop": content.pop("place")}

    def to_three(content: dict[str, Any]) -> dict[str, Any]:
        return {**content, "loop": content["loop"] * 10}

    old = {"format_version": 1, "place": 4}

    new = migrated(old, "a.pth", current=3, steps={1: to_two, 2: to_three})

    assert new["loop"] == 40
    assert new["format_version"] == 3


def test_a_file_without_a_version_is_taken_as_it_is() -> None:
    assert migrated({"meta": {}}, "a.pth") == {"meta": {}}


@pytest.mark.parametrize("version", [0, -1, "1", 1.5, None, True])
def test_a_version_that_never_was_is_refused(version: object) -> None:
    with pytest.raises(CheckpointError, match=r"a\.pth has format version .*, which there never"):
        migrated({"format_version": version}, "a.pth")


def test_the_documented_table_is_the_one_in_the_code() -> None:
    if not TABLE.exists():  # the tests may lie alone, beside an installed wheel
        pytest.skip("no documentation beside these tests")
    page = TABLE.read_text(encoding="utf-8")
    rows = [
        f"| `{name}` | {'a list, one entry a rank' if key.by_rank else 'one for all ranks'} "
        f"| {key.holds} |"
        for name, key in KEYS.items()
    ]

    assert "\n".join(rows) in page
    assert f"version {FORMAT_VERSION}" in page
