"""One finding of a check as a line of text."""

from __future__ import annotations

import pytest

from tk_registry import Problem


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (Problem("head.width", "must be int", "a.py:3"), "head.width (a.py:3): must be int"),
        (Problem("head.width", "must be int", None), "head.width: must be int"),
        (Problem("", "needs a type", None), "(top): needs a type"),
    ],
)
def test_a_problem_is_shown_with_its_place(problem: Problem, line: str) -> None:
    assert str(problem) == line
