"""Which of two values of a metric is the better one."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from tk_runner import InvalidSettingsError
from tk_runner.hooks.best import Rule, known_rule, rule_for


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        ("acc", "greater"),
        ("accuracy/top1", "greater"),
        ("coco/bbox_mAP", "greater"),
        ("AR@100", "greater"),
        ("mIoU", "greater"),
        ("loss", "less"),
        ("val_loss", "less"),
        ("top1_error", "less"),
        ("top1_err", "less"),
        ("MAE", "less"),
    ],
)
def test_a_name_tells_its_rule(metric: str, kind: str) -> None:
    assert rule_for(metric).kind == kind


def test_what_the_metric_declares_comes_before_its_name() -> None:
    val_loop = SimpleNamespace(rule_of={"acc": "less", "wer": "less"}.get)

    assert rule_for("acc", val_loop).kind == "less"
    assert rule_for("wer", val_loop).kind == "less"
    assert rule_for("top1", val_loop).kind == "greater"


def test_what_the_user_says_comes_first() -> None:
    val_loop = SimpleNamespace(rule_of=lambda name: "less")

    assert rule_for("quality", val_loop, greater_keys=["qual"]).kind == "greater"
    assert rule_for("acc", less_keys=["ACC"]).kind == "less"


def test_a_name_that_says_nothing_is_refused_with_the_way_out() -> None:
    with pytest.raises(InvalidSettingsError, match=r"'fancy'.*rule='greater'"):
        rule_for("fancy")


def test_a_rule_of_another_name_is_refused() -> None:
    with pytest.raises(InvalidSettingsError, match="rule='more': use 'greater' or 'less'"):
        Rule("more")


@pytest.mark.parametrize(
    ("kind", "new", "old", "by", "better"),
    [
        ("greater", 2.0, 1.0, 0.0, True),
        ("greater", 1.0, 1.0, 0.0, False),
        ("greater", 1.5, 1.0, 0.5, False),
        ("less", 0.5, 1.0, 0.0, True),
        ("less", 0.5, 1.0, 0.5, False),
        ("less", math.nan, 1.0, 0.0, False),
        ("less", math.nan, None, 0.0, False),
        ("less", math.inf, None, 0.0, True),
        ("greater", 1.0, math.inf, 0.0, False),
    ],
)
def test_better_is_strictly_better(
    kind: str, new: float, old: float | None, by: float, better: bool
) -> None:
    assert Rule(kind).is_better(new, old, by=by) is better


def test_a_name_that_says_nothing_has_no_known_rule() -> None:
    assert known_rule("toy/share") is None
    assert known_rule("toy/accuracy") == Rule("greater")
