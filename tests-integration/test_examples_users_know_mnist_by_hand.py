"""Training, testing and validation with parts built by hand, as MMEngine users know them.

Only imports differ, and what the known examples get wrong:

- ``test_evaluator = Evaluator(metric)`` stands there without an import of ``Evaluator``.
- A test without ``test_cfg``, and a validation without ``val_cfg``: both mean ``{}`` here.
- ``MultiStepLR(milestones=[2], by_epoch=True)`` has no optimizer.
- ``Dataloader`` for ``DataLoader``.
- The second run trains the model that was last built for the test.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from made_data import MNIST, ToTensor
from torch import nn
from torch.utils.data import DataLoader

from tk_evaluator import BaseMetric, Evaluator
from tk_optim import MultiStepLR
from tk_runner import BaseModel, Runner


class Network(BaseModel):
    def __init__(self):
        super().__init__()
        self.mlp = nn.Sequential(
            nn.Linear(28 * 28, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 10)
        )
        self.loss = nn.CrossEntropyLoss()

    def forward(self, batch_inputs: torch.Tensor, data_samples=None, mode: str = "tensor"):
        x = batch_inputs.flatten(1)
        x = self.mlp(x)
        if mode == "loss":
            return {"loss": self.loss(x, data_samples)}
        elif mode == "predict":
            return x.argmax(1)
        else:
            return x


class MnistAccuracy(BaseMetric):
    def process(self, data, preds) -> None:
        self.results.append(((data[1] == preds.cpu()).sum(), len(preds)))

    def compute_metrics(self, results):
        correct, batch_size = zip(*results, strict=True)
        acc = sum(correct) / sum(batch_size)
        return dict(accuracy=acc)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)


def train(train_cfg: dict) -> Runner:
    model = Network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    lr_scheduler = MultiStepLR(optimizer, milestones=[2], by_epoch=True)
    train_dataset = MNIST(root="MNIST", download=True, train=True, transform=ToTensor())
    train_dataloader = DataLoader(dataset=train_dataset, batch_size=10, num_workers=2)

    runner = Runner(
        model,
        work_dir="./train_mnist",
        train_cfg=train_cfg,
        train_dataloader=train_dataloader,
        optim_wrapper=dict(optimizer=optimizer),
        param_scheduler=lr_scheduler,
    )
    runner.train()
    return runner


def test_training_by_epoch_lowers_the_rate_at_the_milestone_and_writes_a_checkpoint_each() -> None:
    runner = train(dict(by_epoch=True, max_epochs=3))

    rates = runner.message_hub.get_scalar("train/lr").data[0]
    assert list(rates) == pytest.approx([0.01] * 12 + [0.001] * 6)
    assert sorted(path.name for path in Path("train_mnist").glob("*.pth")) == [
        "epoch_1.pth",
        "epoch_2.pth",
        "epoch_3.pth",
    ]


def test_training_by_iteration_ends_at_the_iteration() -> None:
    runner = train(dict(by_epoch=False, max_iters=9))

    assert runner.iter == 9


def test_a_test_loads_what_was_trained_and_needs_no_training_part() -> None:
    train(dict(by_epoch=True, max_epochs=3))
    model = Network()
    test_dataset = MNIST(root="MNIST", download=True, train=False, transform=ToTensor())
    test_dataloader = DataLoader(dataset=test_dataset)
    metric = MnistAccuracy()
    test_evaluator = Evaluator(metric)

    runner = Runner(
        model=model,
        test_dataloader=test_dataloader,
        test_evaluator=test_evaluator,
        load_from="./train_mnist/epoch_3.pth",
        work_dir="./test_mnist",
    )
    metrics = runner.test()

    images, digits = test_dataset.images, test_dataset.digits
    expected = (model(images).argmax(1) == digits).float().mean()
    assert metrics["accuracy"] == pytest.approx(float(expected))
    assert metrics["accuracy"] > 0.3  # chance is 0.1
    assert runner.optim_wrapper is None


def test_validation_during_training_begins_at_val_begin() -> None:
    model = Network()
    optimzier = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    lr_scheduler = MultiStepLR(optimzier, milestones=[2], by_epoch=True)
    train_dataset = MNIST(root="MNIST", download=True, train=True, transform=ToTensor())
    train_dataloader = DataLoader(dataset=train_dataset, batch_size=10, num_workers=2)
    val_dataset = MNIST(root="MNIST", download=True, train=False, transform=ToTensor())
    val_dataloader = DataLoader(dataset=val_dataset)
    metric = MnistAccuracy()
    val_evaluator = Evaluator(metric)
    train_cfg = dict(by_epoch=True, max_epochs=5, val_begin=2, val_interval=1)

    runner = Runner(
        model=model,
        optim_wrapper=dict(optimizer=optimzier),
        param_scheduler=lr_scheduler,
        train_dataloader=train_dataloader,
        val_dataloader=val_dataloader,
        val_evaluator=val_evaluator,
        train_cfg=train_cfg,
        work_dir="./train_val_mnist",
    )
    runner.train()

    assert len(runner.message_hub.get_scalar("val/accuracy").data[0]) == 4  # epochs 2, 3, 4 and 5


def test_a_scheduler_without_its_optimizer_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="optimizer"):
        MultiStepLR(milestones=[2], by_epoch=True)
