"""The table of values in the documentation is the one that the schedules give."""

from __future__ import annotations

from pathlib import Path

import pytest
from schedule_table import make_table


def test_the_table_in_the_documentation_is_up_to_date() -> None:
    beside = Path(__file__).resolve().parents
    page = beside[3] / "docs" / "reference" / "schedules.md" if len(beside) > 3 else None
    if page is None or not page.exists():  # the tests may lie alone, beside an installed wheel
        pytest.skip("no documentation beside these tests")

    assert page.read_text(encoding="utf-8") == make_table()
