from __future__ import annotations

import json
import logging
from typing import Any

import numpy as np
import pytest
import torch
from evaluator_toys import Failing, Listing

from tk_evaluator import BaseMetric, MetricError, SettingsError


class Returning(BaseMetric):
    """Gives what it is told to."""

    default_prefix = "returning"

    def __init__(self, found: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.found = found

    def process(self, data_batch: Any, data_samples: Any) -> None:
        self.results.append(data_samples)

    def compute_metrics(self, results: list[Any]) -> Any:
        return self.found


@pytest.mark.parametrize(
    ("prefix", "name"), [(None, "returning/a"), ("", "returning/a"), ("mine", "mine/a")]
)
def test_names_stand_under_the_prefix_or_the_default_one(prefix: str | None, name: str) -> None:
    metric = Returning({"a": 1}, prefix=prefix)
    metric.process(None, 1)

    assert metric.evaluate(1) == {name: 1}


def test_a_metric_without_any_prefix_says_so_and_gives_bare_names(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Bare(Returning):
        default_prefix = None

    metric = Bare({"a": 1})
    metric.process(None, 1)

    assert "metric Bare has no prefix" in caplog.text
    assert metric.evaluate(1) == {"a": 1}


def test_a_folder_goes_with_the_cpu_only() -> None:
    with pytest.raises(SettingsError, match=r"collect_dir='x'.*collect_device='gpu'"):
        Listing(collect_device="gpu", collect_dir="x")


def test_the_abstract_methods_must_be_written() -> None:
    with pytest.raises(TypeError, match="abstract"):
        BaseMetric()  # type: ignore[abstract]


def test_facts_about_the_data_set_are_kept() -> None:
    metric = Listing()
    assert metric.dataset_meta is None
    metric.dataset_meta = {"classes": ["a"]}

    assert metric.dataset_meta == {"classes": ["a"]}


def test_results_are_plain_values_at_any_depth() -> None:
    found = {
        "number": np.float32(0.5),
        "tensor": torch.tensor(2),
        "nested": {"by class": torch.tensor([1.0, 2.0]), 3: None},
    }
    metric = Returning(found)
    metric.process(None, 1)
    results = metric.evaluate(1)

    assert results == {
        "returning/number": 0.5,
        "returning/tensor": 2,
        "returning/nested": {"by class": [1.0, 2.0], "3": None},
    }
    json.dumps(results)


def test_results_are_cleared_after_an_evaluation_but_what_computing_saw_is_not() -> None:
    seen: list[Any] = []

    class Keeping(Listing):
        def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
            seen.append(results)
            assert self.results is results  # the entries of all ranks, under both names
            return {}

    metric = Keeping()
    metric.process(None, [1, 2])
    metric.evaluate(2)

    assert metric.results == []
    assert seen == [[1, 2]]


def test_results_are_cleared_after_an_error_too() -> None:
    metric = Failing(ValueError("odd"))
    metric.process(None, [1])
    with pytest.raises(ValueError, match="metric Failing failed over 1 results: ValueError: odd"):
        metric.evaluate(1)

    assert metric.results == []


def test_an_empty_result_set_is_said_so(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ZeroDivisionError, match=r"over an empty result set .*process never called"):
        Failing(ZeroDivisionError()).evaluate(3)

    assert "no rank stored any result" in caplog.text


def test_a_result_that_is_no_dict_is_an_error_that_says_what_to_return() -> None:
    metric = Returning(None)
    metric.process(None, 1)

    with pytest.raises(MetricError, match=r"returned NoneType, not a dict.*or \{\} for none"):
        metric.evaluate(1)


def test_entries_come_in_the_order_of_the_data_set() -> None:
    metric = Listing()
    metric.observe(None, ["c", "a"], indices=[2, 0])
    metric.observe(None, ["b"], indices=[1])

    assert metric.evaluate(3)["listing/entries"] == ["a", "b", "c"]


def test_a_sample_met_twice_counts_once() -> None:
    metric = Listing()
    metric.observe(None, ["a", "b"], indices=[0, 1])
    metric.observe(None, ["a again"], indices=[0])

    assert metric.evaluate(2)["listing/entries"] == ["a", "b"]


def test_missing_samples_are_named(caplog: pytest.LogCaptureFixture) -> None:
    metric = Listing()
    metric.observe(None, ["a", "d"], indices=[0, 3])
    metric.evaluate(4)

    assert "Listing: 2 of 4 samples have no result: 1, 2;" in caplog.text


def test_a_loader_that_stops_early_is_told_how_to_say_so(caplog: pytest.LogCaptureFixture) -> None:
    metric = Listing()
    metric.observe(None, ["a", "b"], indices=[0, 1])
    found = metric.evaluate(100)

    assert found["listing/count"] == 2
    assert "give evaluate() the number of samples that it yields" in caplog.text


def test_a_complete_evaluation_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Count(Listing):
        def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
            return {"count": len(results)}

    with caplog.at_level(logging.DEBUG):
        metric = Count()
        metric.observe(None, ["b", "a"], indices=[1, 0])
        metric.evaluate(2)

    assert not caplog.records


def test_several_entries_a_sample_are_all_kept_in_order_of_arrival() -> None:
    class Boxes(Listing):
        def process(self, data_batch: Any, data_samples: Any) -> None:
            for sample in data_samples:
                self.results += [f"{sample}1", f"{sample}2"]

    metric = Boxes()
    metric.observe(None, ["b"], indices=[1])
    metric.observe(None, ["a"], indices=[0])

    assert metric.evaluate(2)["listing/entries"] == ["b1", "b2", "a1", "a2"]


def test_a_broken_promise_of_one_entry_a_sample_names_the_metric() -> None:
    class Promising(Listing):
        per_sample = True

    with pytest.raises(ValueError, match=r"metric Promising failed.*added 1 results for 2 indices"):
        Promising().observe(None, ["a"], indices=[0, 1])


@pytest.mark.parametrize(
    ("indices", "said"),
    [
        ([40, 41, 42], r"at sample 42, or another of its batch \(40, 41, 42\)"),
        (range(20), r"at sample 2, .*\(0, 1, 2, 3, 4, 5, 6, 7, \.\.\.\)"),
        ([], "at a batch without samples"),
        (None, "after storing 2 results of a batch"),
    ],
    ids=["named", "many", "none", "no indices"],
)
def test_an_error_in_processing_names_metric_and_sample(indices: Any, said: str) -> None:
    metric = Failing(KeyError("boxes"), at_sample="c")

    with pytest.raises(
        KeyError, match=rf"metric Failing failed {said}: KeyError: 'boxes'"
    ) as caught:
        metric.observe(None, ["a", "b", "c"], indices=indices)
    assert isinstance(caught.value, MetricError)
    assert isinstance(caught.value.__cause__, KeyError)
    assert metric.results == []


@pytest.mark.parametrize(
    ("declared", "rule"),
    [(True, "greater"), (False, "less"), (None, None), ({"a": False}, "less"), ({"b": True}, None)],
    ids=str,
)
def test_a_direction_is_declared_for_all_names_or_by_name(declared: Any, rule: str | None) -> None:
    metric = Listing()
    metric.greater_is_better = declared

    assert metric.rule_of("a") == rule


def test_a_result_that_is_no_number_is_named_once_with_its_value(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Best(BaseMetric):
        def process(self, data_batch: Any, data_samples: Any) -> None:
            self.results.append(0)

        def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
            return {"class": "cat", "accuracy": 0.5}

    metric = Best(prefix="best")
    for _ in range(2):
        metric.observe(None, [0], indices=[0])
        results = metric.evaluate(1)

    assert results == {"best/class": "cat", "best/accuracy": 0.5}
    (text,) = [record.getMessage() for record in caplog.records]
    assert "Best: the result 'class' is not a number but 'cat', a str" in text
