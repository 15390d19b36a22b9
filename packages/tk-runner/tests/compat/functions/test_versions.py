"""Versions as tuples."""

from __future__ import annotations

import pytest

from tk_runner.compat.functions.versions import digit_version, parse_version_info


def test_versions_are_ordered_as_they_were_released() -> None:
    released = [
        "1.0.dev0",
        "1.0a1",
        "1.0b2",
        "1.0rc1",
        "1.0rc2",
        "1.0",
        "1.0.post1",
        "1.0.1",
        "1.10",
    ]

    assert sorted(released, key=digit_version) == released


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.13.0", (2, 13, 0, 0, 0, 0)),
        ("1.2.3rc4", (1, 2, 3, 0, -1, 4)),
        ("1.0+cu118", (1, 0, 0, 0, 0, 0)),
        ("1.0.post2", (1, 0, 0, 0, 1, 2)),
    ],
)
def test_a_version_is_filled_up_and_followed_by_its_stage(text: str, expected: object) -> None:
    assert digit_version(text) == expected


def test_what_is_no_version_is_an_error() -> None:
    with pytest.raises(AssertionError, match="'one' is not a version"):
        digit_version("one")


def test_the_parts_of_a_version() -> None:
    assert parse_version_info("0.10.7") == (0, 10, 7)
    assert parse_version_info("2.0.0rc4") == (2, 0, 0, "rc4")
