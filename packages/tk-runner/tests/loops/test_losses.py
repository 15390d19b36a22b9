"""Losses that come with predictions."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tk_runner import BaseDataElement
from tk_runner.loops.losses import MeanLosses, count_samples, split_losses


@pytest.mark.parametrize(
    "last", [{"loss": torch.tensor(2.0)}, BaseDataElement(loss=torch.tensor(2.0))]
)
def test_a_last_element_of_nothing_but_the_loss_is_split_off(last: Any) -> None:
    outputs, losses = split_losses([1, 2, last])

    assert outputs == [1, 2]
    assert losses == {"loss": torch.tensor(2.0)}


@pytest.mark.parametrize("outputs", [[], "text", {"a": 1}, [1, {"loss": 0, "score": 1}], None])
def test_other_outputs_stay_whole(outputs: Any) -> None:
    assert split_losses(outputs) == (outputs, None)


def test_means_weigh_batches_by_their_samples() -> None:
    means = MeanLosses()
    means.add({"loss_a": torch.tensor(1.0), "acc": torch.tensor(0.5)}, count=3)
    means.add({"loss_a": [torch.tensor(4.0), torch.tensor(1.0)], "acc": 1.0}, count=1)

    assert means.summary("val") == {"loss_a": 2.0, "acc": 0.625, "val_loss": 2.0}


def test_no_losses_give_no_summary() -> None:
    assert MeanLosses().summary("test") == {}


def test_a_loss_that_only_some_batches_have_is_their_mean() -> None:
    means = MeanLosses()
    means.add({"loss": torch.tensor(1.0)}, count=2)
    means.add({"loss": torch.tensor(1.0), "loss_mask": torch.tensor(3.0)}, count=1)

    assert means.summary("val")["loss_mask"] == 3.0


@pytest.mark.parametrize(
    ("data", "outputs", "count"),
    [
        (torch.zeros(4, 3), None, 4),
        ([torch.zeros(4, 3), torch.zeros(4)], [], 4),
        ({"size": 3, "x": torch.zeros(4, 3)}, [], 4),
        ({"inputs": [torch.zeros(3)] * 2, "data_samples": [1, 2]}, [], 2),
        ([["a", "b", "c"], torch.zeros(3)], None, 3),
        ("text", [1, 2], 2),
        ("text", torch.zeros(5), None),
    ],
)
def test_the_samples_of_a_batch_are_counted_by_its_shape(
    data: Any, outputs: Any, count: int | None
) -> None:
    assert count_samples(data, outputs) == count


def test_batches_whose_samples_cannot_be_counted_are_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    means = MeanLosses()
    for loss in (1.0, 3.0):
        means.add({"loss": torch.tensor(loss)}, count=None)

    assert means.summary("val")["loss"] == 2.0
    assert len(caplog.records) == 1
    assert "the mean of its batches" in caplog.text
