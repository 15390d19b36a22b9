"""Which of two values of a metric is the better one."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from tk_runner import InvalidSettingsError
from tk_runner.checkpoint import UnsafeCheckpointError
from tk_runner.hooks.best import BestMetrics, Rule, known_rule, rule_for


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


def test_the_best_k_are_ranked_and_worse_ones_go() -> None:
    best = BestMetrics(["acc"], ["greater"], num_kept=2)
    best.choose_rules(None)
    gone = []
    for epoch, value in enumerate([0.5, 0.7, 0.6, 0.4, 0.9]):
        for metric in best.improved({"acc": value}, None):
            gone += best.add(metric, value, f"{epoch}.pth")

    assert best.names == ["4.pth", "1.pth"]
    assert gone == ["0.pth", "2.pth"]
    assert (best.scores, best.paths) == ({"acc": 0.9}, {"acc": "4.pth"})


def test_a_state_of_one_best_file_each_is_read_too() -> None:
    best = BestMetrics(["acc"], ["greater"], num_kept=2)
    best.load_state_dict({"scores": {"acc": 0.5}, "paths": {"acc": "best_acc_epoch_1.pth"}})

    assert best.names == ["best_acc_epoch_1.pth"]


def test_a_best_file_elsewhere_is_refused() -> None:
    state = {"scores": {"acc": 0.5}, "paths": {"acc": "/home/me/thesis.tex"}}

    with pytest.raises(UnsafeCheckpointError, match=r"thesis\.tex"):
        BestMetrics(["acc"], ["greater"]).load_state_dict(state)
