from __future__ import annotations

from typing import Any

import pytest
import torch
from device_reads import DeviceReads

from tk_runner.model import ModelTypeError, parse_losses


def test_everything_with_loss_in_its_name_is_added() -> None:
    total, log = parse_losses(
        {
            "loss_cls": torch.tensor([1.0, 3.0]),
            "loss_box": [torch.tensor(1.0), torch.tensor([2.0, 4.0])],
            "acc": torch.tensor(0.5),
        }
    )

    assert float(total) == 6
    assert list(log) == ["loss", "loss_cls", "loss_box", "acc"]
    assert {k: float(v) for k, v in log.items()} == {
        "loss": 6, "loss_cls": 2, "loss_box": 4, "acc": 0.5,
    }  # fmt: skip


def test_the_total_keeps_its_graph_and_the_log_does_not() -> None:
    weight = torch.ones(2, requires_grad=True)

    total, log = parse_losses({"loss": weight * 2, "loss_b": weight.sum()})
    total.backward()

    assert torch.equal(weight.grad, torch.full((2,), 2.0))
    assert not any(value.requires_grad for value in log.values())


def test_a_lone_loss_is_the_total() -> None:
    total, log = parse_losses({"loss": torch.tensor(3.0)})

    assert float(total) == 3
    assert list(log) == ["loss"]


def test_a_part_called_loss_is_logged_beside_the_total() -> None:
    total, log = parse_losses({"loss": torch.tensor(3.0), "loss_aux": torch.tensor(1.0)})

    assert float(total) == 4
    assert {k: float(v) for k, v in log.items()} == {"loss": 4, "loss_part": 3, "loss_aux": 1}


def test_the_name_under_which_it_is_logged_must_be_free() -> None:
    with pytest.raises(ModelTypeError, match="rename one of them"):
        parse_losses({"loss": torch.tensor(3.0), "loss_part": torch.tensor(1.0)})


def test_nothing_is_read_from_the_device() -> None:
    losses = {"loss_a": torch.rand(3), "loss_b": [torch.rand(2)], "loss": torch.rand(())}

    with DeviceReads() as reads:
        parse_losses(losses)

    assert reads.count == 0


def test_numbers_may_be_logged_and_counts_averaged() -> None:
    _, log = parse_losses(
        {"loss": torch.tensor(1.0), "lr": 0.1, "hits": torch.tensor([1, 2]), "loss_none": []}
    )

    assert float(log["lr"]) == pytest.approx(0.1)
    assert float(log["hits"]) == 1.5
    assert float(log["loss_none"]) == 0


@pytest.mark.parametrize(
    ("losses", "text"),
    [
        ({}, "none of no entries has 'loss' in its name"),
        ({"acc": torch.ones(1)}, r"none of \['acc'\]"),
        ({"loss": 1.0}, "the loss 'loss' is a float"),
        ({"loss": {"a": torch.ones(1)}}, "the loss 'loss' is a dict.*names of their own"),
        ({"loss": [torch.ones(1), 2]}, "a list of Tensor, int"),
        ({"loss": None}, "a NoneType"),
        (torch.ones(1), "returns a dict of losses, got Tensor"),
    ],
    ids=["empty", "no loss", "number", "nested", "mixed list", "none", "tensor"],
)
def test_what_is_no_loss_is_refused(losses: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        parse_losses(losses)


def test_a_name_that_is_no_text_is_refused() -> None:
    with pytest.raises(ModelTypeError, match="the name of a loss is a text, got 1"):
        parse_losses({1: torch.ones(())})  # type: ignore[dict-item]
