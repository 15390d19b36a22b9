from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn
from toy_run import toy_data, toy_run

from tk_evaluator import Accuracy
from tk_optim import OptimWrapper
from tk_registry import MODELS
from tk_runner.model import ModelTypeError, ModelWithLoss

ROWS, SIGNS = torch.ones(4, 3), torch.tensor([0, 1, 1, 0])


def classifier() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))


def test_a_plain_classifier_trains_and_gets_an_accuracy(tmp_path: Path) -> None:
    model = ModelWithLoss(classifier(), nn.CrossEntropyLoss())
    with toy_run(
        tmp_path, model=model, val_evaluator=Accuracy(), train_cfg={"max_epochs": 12}
    ) as run:
        run.train()
        metrics = run.val()

    rows, signs = toy_data().tensors
    scores = model.module(rows)
    right = (scores.argmax(1) == signs).double().mean().item()
    loss = nn.functional.cross_entropy(scores, signs).item()
    assert right > 0.9
    assert metrics["accuracy/top1"] == pytest.approx(right)
    assert metrics["val_loss"] == pytest.approx(loss, rel=1e-5)


BATCHES: dict[str, Any] = {
    "a pair": [ROWS, SIGNS],
    "a mapping": {"image": ROWS, "label": SIGNS},
    "a mapping with a name of its own": {"x": ROWS, "digit": SIGNS},
}


@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES)
def test_inputs_and_target_of_a_batch_are_found(batch: Any) -> None:
    target = "digit" if "digit" in batch else None
    model = ModelWithLoss(classifier(), nn.CrossEntropyLoss(), target)
    wrapper = OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.1))
    expected = nn.functional.cross_entropy(model.module(ROWS), SIGNS).item()

    assert model.train_step(batch, wrapper)["loss"].item() == pytest.approx(expected)


def test_a_prediction_has_the_fields_of_a_classification() -> None:
    model = ModelWithLoss(classifier(), nn.CrossEntropyLoss())
    *samples, loss = model.val_step([ROWS, SIGNS])

    assert [sorted(sample) for sample in samples] == [["gt_label", "pred_label", "pred_score"]] * 4
    assert [int(sample["gt_label"]) for sample in samples] == SIGNS.tolist()
    assert list(loss) == ["loss"]
    assert sorted(model.test_step([ROWS])[0]) == ["pred_label", "pred_score"]


def test_a_regression_is_predicted_as_it_is() -> None:
    model = ModelWithLoss(nn.Linear(3, 1), nn.MSELoss())
    *samples, _ = model.val_step([ROWS, torch.ones(4, 1)])

    assert sorted(samples[0]) == ["gt_label", "pred"]


def test_logits_of_an_object_or_a_mapping_are_the_scores() -> None:
    class Wrapped(nn.Module):
        def __init__(self, kind: Any) -> None:
            super().__init__()
            self.net, self.kind = classifier(), kind

        def forward(self, pixel_values: torch.Tensor) -> Any:
            return self.kind(logits=self.net(pixel_values))

    for kind in (SimpleNamespace, dict):
        model = ModelWithLoss(Wrapped(kind), nn.CrossEntropyLoss())
        assert model(ROWS, SIGNS).shape == (4, 2)


def test_it_is_built_from_a_config_and_its_weights_keep_their_names() -> None:
    cfg = {
        "type": "ModelWithLoss",
        "module": classifier(),
        "loss": {"type": "torch.nn.CrossEntropyLoss", "label_smoothing": 0.1},
    }
    model = MODELS.build(cfg)

    assert model.loss.label_smoothing == 0.1
    assert set(model.state_dict()) == set(classifier().state_dict())


def test_the_weights_of_a_loss_are_placed_with_the_model() -> None:
    weighted = ModelWithLoss(classifier(), nn.CrossEntropyLoss(weight=torch.ones(2)))

    assert weighted.to("meta").loss.weight.is_meta


@pytest.mark.parametrize(
    ("batch", "text"),
    [
        ([ROWS], "the batch has one entry, and training needs inputs and a target"),
        ({"image": ROWS, "digit": SIGNS}, "has the keys 'image', 'digit' and no target; name its"),
    ],
)
def test_a_batch_without_a_target_says_what_to_do(batch: Any, text: str) -> None:
    model = ModelWithLoss(classifier(), nn.CrossEntropyLoss())
    wrapper = OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.1))

    with pytest.raises(ModelTypeError, match=text):
        model.train_step(batch, wrapper)
