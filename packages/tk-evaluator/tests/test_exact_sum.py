from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tk_evaluator.exact_sum import exact_sum, ratio


@given(st.lists(st.floats(-1e300, 1e300), max_size=20))
def test_the_sum_is_the_rounded_true_sum(terms: list[float]) -> None:
    assert exact_sum(terms) == float(sum(map(Fraction, terms)))


@pytest.mark.parametrize(
    ("terms", "expected"), [([math.inf, 1.0], math.inf), ([1e308, 1e308], math.inf)]
)
def test_what_has_no_finite_sum_is_infinite(terms: list[float], expected: float) -> None:
    assert exact_sum(terms) == expected


def test_opposite_infinities_are_nan() -> None:
    assert math.isnan(exact_sum([math.inf, -math.inf]))


def test_a_ratio_over_nothing_is_nan() -> None:
    assert math.isnan(ratio(0, 0))
