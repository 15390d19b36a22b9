"""Numbers and tables as text."""

from __future__ import annotations

import pytest

from tk_runner.analysis.text_table import as_table, short


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (1_000, "1K"), (11_689_512, "11.69M"), (4_120_000_000, "4.12G")],
)
def test_a_count_is_shown_with_its_unit(number: int, text: str) -> None:
    assert short(number) == text


def test_columns_stand_under_their_heads() -> None:
    assert as_table(("a", "number"), [("long name", "1"), ("b", "22")]).splitlines() == [
        "a          number",
        "---------  ------",
        "long name  1",
        "b          22",
    ]
