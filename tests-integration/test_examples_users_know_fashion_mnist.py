"""The FashionMNIST example that MMEngine users know: predictions as tuples, an own preprocessor.

Only imports and widths differ, and what the known example gets wrong: its ``train_step(data,
optimizer)`` cannot be called by a runner, which passes ``optim_wrapper`` by name.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from made_data import FashionMNIST, ToTensor
from torch import nn
from torch.optim import SGD
from torch.utils.data import DataLoader

from tk_evaluator import BaseMetric
from tk_runner import BaseModel, Runner
from tk_runner.model import BaseDataPreprocessor


class NeuralNetwork(BaseModel):
    def __init__(self, data_preprocessor=None):
        super(NeuralNetwork, self).__init__(data_preprocessor)  # noqa: UP008 - as users have it
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(28 * 28, 32),
            nn.ReLU(),
            nn.Linear(32, 32),
            nn.ReLU(),
            nn.Linear(32, 10),
        )
        self.loss = nn.CrossEntropyLoss()

    def forward(self, img, label, mode="tensor"):
        x = self.flatten(img)
        pred = self.linear_relu_stack(x)
        loss = self.loss(pred, label)
        if mode == "loss":
            return dict(loss=loss)
        elif mode == "predict":
            return pred.argmax(1), loss.item()
        else:
            return pred


class FashionMnistMetric(BaseMetric):
    def process(self, data, preds) -> None:
        self.results.append(((data[1] == preds[0].cpu()).sum(), preds[1], len(preds[0])))

    def compute_metrics(self, results):
        correct, loss, batch_size = zip(*results, strict=True)
        test_loss, correct = sum(loss) / len(self.results), sum(correct) / sum(batch_size)
        return dict(Accuracy=correct, Avg_loss=test_loss)


class NeuralNetwork1(NeuralNetwork):
    def __init__(self, data_preprocessor):
        super().__init__(data_preprocessor=data_preprocessor)
        self.data_preprocessor = data_preprocessor

    def train_step(self, data, optimizer):
        img, label = self.data_preprocessor(data)
        loss = self(img, label, mode="loss")["loss"].sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return dict(loss=loss)

    def test_step(self, data):
        img, label = self.data_preprocessor(data)
        return self(img, label, mode="predict")

    def val_step(self, data):
        img, label = self.data_preprocessor(data)
        return self(img, label, mode="predict")


class NormalizeDataPreprocessor(BaseDataPreprocessor):
    def forward(self, data, training=False):
        img, label = [item for item in data]  # noqa: C416 - as users have it
        img = (img - 127.5) / 127.5
        return img, label


def loaders() -> tuple[DataLoader, DataLoader]:
    training_data = FashionMNIST(root="data", train=True, download=True, transform=ToTensor())
    test_data = FashionMNIST(root="data", train=False, download=True, transform=ToTensor())
    return DataLoader(training_data, batch_size=16), DataLoader(test_data, batch_size=16)


def test_the_model_trains_and_both_metrics_are_reported(tmp_path: Path) -> None:
    train_dataloader, test_dataloader = loaders()
    runner = Runner(
        model=NeuralNetwork(),
        work_dir=str(tmp_path),
        train_dataloader=train_dataloader,
        optim_wrapper=dict(optimizer=dict(type="SGD", lr=1e-3)),
        train_cfg=dict(by_epoch=True, max_epochs=2, val_interval=1),
        val_cfg=dict(fp16=True),
        val_dataloader=test_dataloader,
        val_evaluator=dict(metrics=FashionMnistMetric()),
    )
    runner.train()

    scalars = runner.message_hub.log_scalars
    assert len(scalars["val/Accuracy"].data[0]) == 2
    assert 0 < scalars["val/Avg_loss"].current() < 5


def test_steps_of_ones_own_work_with_a_plain_optimizer() -> None:
    model = NeuralNetwork1(data_preprocessor=NormalizeDataPreprocessor())
    optimizer = SGD(model.parameters(), lr=0.01)
    data = (torch.full((3, 28, 28), fill_value=127.5), torch.ones(3, 10))
    before = model.linear_relu_stack[4].bias.detach().clone()

    trained = model.train_step(data, optimizer)
    label, loss = model.val_step(data)
    model.test_step(data)

    assert trained["loss"] > 0
    assert not torch.equal(before, model.linear_relu_stack[4].bias)
    assert label.shape == (3,)
    assert isinstance(loss, float)


def test_a_model_with_steps_of_its_own_trains_in_the_runner(tmp_path: Path) -> None:
    class TakesTheWrapper(NeuralNetwork1):
        def train_step(self, data, optim_wrapper):  # the name that the runner passes
            return super().train_step(data, optim_wrapper)

    train_dataloader, _ = loaders()
    model = TakesTheWrapper(data_preprocessor=NormalizeDataPreprocessor())
    runner = Runner(
        model=model,
        work_dir=str(tmp_path),
        train_dataloader=train_dataloader,
        optim_wrapper=dict(optimizer=dict(type="SGD", lr=1e-3)),
        train_cfg=dict(by_epoch=True, max_epochs=1),
    )
    runner.train()

    assert runner.iter == 4


def test_the_average_loss_does_not_depend_on_the_size_of_equal_batches(tmp_path: Path) -> None:
    data = FashionMNIST(root="data", train=False)
    model = NeuralNetwork()
    found = []
    for size in (1, 5, 20):
        with Runner(
            model=model,
            work_dir=str(tmp_path),
            test_dataloader=DataLoader(data, batch_size=size),
            test_evaluator=FashionMnistMetric(),
        ) as runner:
            found.append(runner.test()["Avg_loss"])

    # means of equal batches: only the rounding of float32 differs
    assert found == pytest.approx([found[0]] * 3, rel=1e-5)
