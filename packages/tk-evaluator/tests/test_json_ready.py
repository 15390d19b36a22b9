from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
import torch

from tk_evaluator.json_ready import json_ready


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (torch.tensor(0.5), 0.5),
        (torch.tensor([3]), 3),
        (torch.tensor([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (torch.tensor(True), True),
        (np.float32(0.25), 0.25),
        (np.int64(7), 7),
        (np.array([1.0, 2.0]), [1.0, 2.0]),
        (np.array(1.5), 1.5),
        (
            {"a": {1: torch.tensor(2), "b": (np.bool_(True), None)}},
            {"a": {"1": 2, "b": [True, None]}},
        ),
        ("text", "text"),
        (None, None),
    ],
    ids=str,
)
def test_results_become_what_json_can_hold(value: Any, expected: Any) -> None:
    ready = json_ready(value)

    assert ready == expected
    assert type(ready) is type(expected)
    assert json.loads(json.dumps(ready)) == expected


def test_nan_stays_nan() -> None:
    assert math.isnan(json_ready(torch.tensor(math.nan)))


def test_an_object_that_json_does_not_know_passes() -> None:
    thing = object()

    assert json_ready({"a": thing})["a"] is thing
