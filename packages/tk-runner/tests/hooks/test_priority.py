"""Named and numbered priorities."""

from __future__ import annotations

import pytest

from tk_runner import InvalidSettingsError, Priority, get_priority


@pytest.mark.parametrize(
    ("given", "number"),
    [
        (0, 0),
        (100, 100),
        ("highest", 0),
        ("VERY_HIGH", 10),
        ("High", 30),
        ("ABOVE_NORMAL", 40),
        ("normal", 50),
        ("BELOW_NORMAL", 60),
        ("LOW", 70),
        ("VERY_LOW", 90),
        (Priority.LOWEST, 100),
    ],
)
def test_numbers_names_and_members_are_priorities(given: int | str | Priority, number: int) -> None:
    assert get_priority(given) == number


@pytest.mark.parametrize("number", [-1, 101])
def test_a_number_outside_is_refused(number: int) -> None:
    with pytest.raises(InvalidSettingsError, match=f"priority {number} is outside 0"):
        get_priority(number)


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidSettingsError, match="'VERY_LO'; did you mean 'VERY_LOW'"):
        get_priority("VERY_LO")
    with pytest.raises(InvalidSettingsError, match=r"'zzz'; known: .*HIGHEST"):
        get_priority("zzz")


@pytest.mark.parametrize("given", [True, 1.5, None])
def test_anything_else_is_no_priority(given: object) -> None:
    with pytest.raises(TypeError, match="a number, a name or a Priority"):
        get_priority(given)  # type: ignore[arg-type]
