from __future__ import annotations

import pytest

from tk_evaluator import ResultNameError, get_metric_value
from tk_evaluator.names import with_prefix

FOUND = {"det/bbox/mAP": 0.5, "seg/mAP": 0.3, "seg/recall": None, "loss": 2.0}


@pytest.mark.parametrize(
    ("indicator", "value"),
    [("det/bbox/mAP", 0.5), ("seg/mAP", 0.3), ("recall", None), ("loss", 2.0)],
)
def test_a_value_is_found_by_its_full_name_or_by_its_last_part(
    indicator: str, value: float | None
) -> None:
    assert get_metric_value(indicator, FOUND) == value


def test_a_bare_name_that_two_results_share_is_ambiguous() -> None:
    with pytest.raises(ResultNameError, match=r"'mAP' is ambiguous.*det/bbox/mAP, seg/mAP.*full"):
        get_metric_value("mAP", FOUND)


def test_a_bare_name_that_is_a_full_one_means_that_one() -> None:
    assert get_metric_value("acc", {"acc": 1, "val/acc": 2}) == 1


def test_a_name_with_a_slash_must_match_whole() -> None:
    with pytest.raises(ResultNameError, match=r"no result is called 'bbox/mAP'"):
        get_metric_value("bbox/mAP", FOUND)


@pytest.mark.parametrize(
    ("indicator", "near"), [("seg/mAp", "seg/mAP"), ("recal", "seg/recall"), ("los", "loss")]
)
def test_an_unknown_name_gets_the_nearest_one(indicator: str, near: str) -> None:
    with pytest.raises(ValueError, match=f"did you mean '{near}'"):
        get_metric_value(indicator, FOUND)


def test_no_results_at_all_are_said_so() -> None:
    with pytest.raises(ResultNameError, match="there are no results"):
        get_metric_value("acc", {})


@pytest.mark.parametrize(
    ("prefix", "name"), [("a", "a/x"), ("", "x"), (None, "x"), ("a/b", "a/b/x")]
)
def test_a_prefix_stands_before_each_name(prefix: str | None, name: str) -> None:
    assert with_prefix(prefix, {"x": 1}) == {name: 1}
