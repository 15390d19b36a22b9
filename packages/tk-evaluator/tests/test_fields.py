from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tk_evaluator import FieldError
from tk_evaluator.fields import arrays, check_same_length, column, labels, numbers, stacked


@pytest.mark.parametrize(
    ("samples", "batch"),
    [
        ([{"x": 1}, {"x": 2}], None),
        ({"x": [1, 2]}, None),
        ([{"y": 0}, {"y": 0}], {"x": [1, 2]}),
        (torch.zeros(2), [{"x": 1}, {"x": 2}]),
        ([{"x": {"data": 1}}, {"x": {"data": 2}}], None),
    ],
    ids=["samples", "columns", "loader's columns", "loader's samples", "containers"],
)
def test_a_field_is_found_wherever_it_is_kept(samples: Any, batch: Any) -> None:
    assert list(column("x", samples, batch, option="pred")) == [1, 2]


def test_dots_lead_into_nested_samples() -> None:
    assert column("a.b", [{"a": {"b": 3}}], None, option="pred") == [3]


def test_a_missing_field_is_named_with_the_nearest_one() -> None:
    with pytest.raises(
        FieldError, match=r"no field 'gt_lable'; they have: gt_label.*target='gt_label'"
    ):
        column("gt_lable", [{"gt_label": 1}], None, option="target")


def test_samples_without_names_are_said_so() -> None:
    with pytest.raises(KeyError, match=r"no named fields.*pred=\.\.\."):
        column("x", [1, 2], None, option="pred")


def test_floats_become_float64_and_integers_stay() -> None:
    assert numbers(torch.tensor([0.1], dtype=torch.bfloat16)).dtype == np.float64
    assert numbers(np.float16(0.5)).dtype == np.float64
    assert numbers(3).dtype == np.int64


def test_columns_become_arrays() -> None:
    rows = [torch.tensor([1, 2]), torch.tensor([3, 4])]

    assert stacked(rows).tolist() == stacked(torch.stack(rows)).tolist() == [[1, 2], [3, 4]]
    assert [row.tolist() for row in arrays(torch.stack(rows))] == [[1, 2], [3, 4]]
    assert len(stacked([])) == 0


@pytest.mark.parametrize(
    "values", [[1, 2], torch.tensor([1, 2]), [torch.tensor([1]), torch.tensor([2])], [1.0, 2.0]]
)
def test_labels_are_one_whole_number_a_sample(values: Any) -> None:
    assert labels(values, option="target").tolist() == [1, 2]


@pytest.mark.parametrize(
    ("values", "said"),
    [([[0.1, 0.9]], "2 values a sample"), ([0.5], "no class labels"), ([float("nan")], "no class")],
)
def test_what_is_no_label_is_refused(values: Any, said: str) -> None:
    with pytest.raises(FieldError, match=said):
        labels(values, option="target")


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(FieldError, match=r"\{'pred': 1, 'target': 2\}"):
        check_same_length({"pred": [1], "target": [1, 2]})
