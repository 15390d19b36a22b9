"""Error bars of results."""

from __future__ import annotations

import math
from typing import Any

import pytest
from evaluator_toys import BatchSums, Listing

from tk_evaluator import Accuracy, Bootstrap, Evaluator, SettingsError

SAMPLES = [{"pred_label": index % 5 == 0, "gt_label": 0} for index in range(400)]  # 4 of 5 right


def evaluated(metric: Any, samples: list[Any], **settings: Any) -> dict[str, Any]:
    evaluator = Evaluator(metric, **settings)
    evaluator.process(samples, indices=range(len(samples)))
    return evaluator.evaluate(len(samples))


def test_the_bars_of_a_share_are_those_of_its_standard_error() -> None:
    results = evaluated(Accuracy(), SAMPLES, bootstrap=500)

    margin = 1.96 * math.sqrt(0.8 * 0.2 / 400)
    assert results["accuracy/top1"] == 0.8
    assert results["accuracy/top1_low"] == pytest.approx(0.8 - margin, abs=0.01)
    assert results["accuracy/top1_high"] == pytest.approx(0.8 + margin, abs=0.01)


def test_the_bars_are_the_same_each_time() -> None:
    first, second = (evaluated(Accuracy(), SAMPLES, bootstrap=20) for _ in range(2))

    assert first == second


def test_a_smaller_level_gives_narrower_bars() -> None:
    wide, narrow = (
        evaluated(Accuracy(), SAMPLES, bootstrap=Bootstrap(200, level=level))
        for level in (0.95, 0.5)
    )

    def width(results: dict[str, Any]) -> float:
        return float(results["accuracy/top1_high"] - results["accuracy/top1_low"])

    assert width(narrow) < width(wide)


def test_only_numbers_have_bars() -> None:
    results = evaluated(Listing(), ["a", "b"], bootstrap=2)

    assert set(results) == {
        "listing/entries", "listing/count", "listing/count_low", "listing/count_high",
    }  # fmt: skip


def test_entries_that_are_not_one_a_sample_have_no_bars_and_it_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    metric = BatchSums(prefix="sums")
    results = evaluated(metric, [1, 2, 3], bootstrap=10)

    assert not [name for name in results if name.endswith("_low")]
    assert "error bars need one stored result for each sample" in caplog.text


@pytest.mark.parametrize(
    ("settings", "text"),
    [({"resamples": 1}, "2 or more"), ({"resamples": 9, "level": 1.0}, "level=1.0 must lie")],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        Bootstrap(**settings)
