"""Losses that come with predictions."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tk_runner import BaseDataElement
from tk_runner.loops.losses import MeanLosses, split_losses


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
