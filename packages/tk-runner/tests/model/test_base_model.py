from __future__ import annotations

from typing import Any

import pytest
import torch
from device_reads import DeviceReads
from torch import nn

from tk_optim import OptimWrapper
from tk_registry import MODELS
from tk_runner.model import BaseDataPreprocessor, BaseModel, ImgDataPreprocessor, ModelTypeError


class Line(BaseModel):
    def __init__(self, data_preprocessor: Any = None) -> None:
        super().__init__(data_preprocessor)
        self.linear = nn.Linear(1, 1)

    def forward(self, x: Any, y: Any = None, mode: str = "tensor") -> Any:
        out = self.linear(x)
        if mode == "loss":
            return {"loss_a": (out - y).abs(), "loss_b": [out.mean() * 0, out.mean() * 0]}
        return [out, mode]


@pytest.mark.parametrize("kind", [dict, tuple, list])
def test_a_train_step_updates_and_gives_the_losses(kind: Any) -> None:
    model = Line()
    before = model.linear.weight.clone()
    x, y = torch.ones(2, 1), torch.full((2, 1), 9.0)
    batch = {"x": x, "y": y} if kind is dict else kind([x, y])

    log = model.train_step(batch, OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.1)))

    assert list(log) == ["loss", "loss_a", "loss_b"]
    assert not torch.equal(model.linear.weight, before)


def test_val_and_test_steps_predict() -> None:
    model = Line()

    assert model.val_step({"x": torch.ones(1, 1)})[1] == "predict"
    assert model.test_step([torch.ones(1, 1)])[1] == "predict"


def test_a_train_step_reads_nothing_from_the_device() -> None:
    model = Line()
    wrapper = OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.1))
    batch = (torch.ones(2, 1), torch.ones(2, 1))
    model.train_step(batch, wrapper)

    with DeviceReads() as reads:
        model.train_step(batch, wrapper)

    assert reads.count == 0


def test_a_batch_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match=r"a batch is a dict, a list or a tuple .* got Tensor"):
        Line().val_step(torch.ones(1, 1))


def test_the_preprocessor_is_told_whether_it_is_training() -> None:
    seen = []

    class Watching(BaseDataPreprocessor):
        def forward(self, data: Any, training: bool = False) -> Any:
            seen.append(training)
            return super().forward(data, training)

    model = Line(Watching())
    batch = (torch.ones(1, 1), torch.ones(1, 1))
    model.train_step(batch, OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.1)))
    model.val_step(batch)
    model.test_step(batch)

    assert seen == [True, False, False]


def test_a_preprocessor_comes_by_config_as_a_module_or_by_default() -> None:
    assert type(Line().data_preprocessor) is BaseDataPreprocessor
    assert type(Line({"type": "ImgDataPreprocessor"}).data_preprocessor) is ImgDataPreprocessor
    assert Line({"non_blocking": False}).data_preprocessor.non_blocking is False
    own = nn.Identity()
    assert Line(own).data_preprocessor is own
    with pytest.raises(TypeError, match="data_preprocessor is a module or its config, got int"):
        Line(3)


def test_a_model_without_forward_cannot_be_made() -> None:
    class Half(BaseModel):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Half()  # type: ignore[abstract]


def test_moving_a_model_moves_the_target_of_every_preprocessor_in_it() -> None:
    class Outer(BaseModel):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Line()

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return None

    model = Outer().to("meta")
    assert model.data_preprocessor.device.type == "meta"
    assert model.inner.data_preprocessor.device.type == "meta"

    model = Outer().to(torch.float64)
    assert model.inner.data_preprocessor.device.type == "cpu"


def test_the_target_of_batches_is_not_part_of_the_state() -> None:
    assert list(Line().state_dict()) == ["linear.weight", "linear.bias"]


def test_a_model_is_built_from_its_config() -> None:
    MODELS.register_module(name="LineOfATest", module=Line, force=True)

    assert isinstance(MODELS.build({"type": "LineOfATest"}), Line)


# The examples of the user's guide, in their shape: only the import names differ.


class NeuralNetwork(BaseModel):
    def __init__(self, data_preprocessor: Any = None) -> None:
        super(NeuralNetwork, self).__init__(data_preprocessor)  # noqa: UP008
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(nn.Linear(28 * 28, 16), nn.ReLU(), nn.Linear(16, 10))
        self.loss = nn.CrossEntropyLoss()

    def forward(self, img: Any, label: Any, mode: str = "tensor") -> Any:
        pred = self.linear_relu_stack(self.flatten(img))
        loss = self.loss(pred, label)
        if mode == "loss":
            return dict(loss=loss)  # noqa: C408 - as users write it
        elif mode == "predict":
            return pred.argmax(1), loss.item()
        else:
            return pred


def test_the_network_of_the_guide_trains_and_predicts() -> None:
    model = NeuralNetwork()
    data = (torch.rand(3, 1, 28, 28), torch.tensor([1, 2, 3]))

    log = model.train_step(data, OptimWrapper(torch.optim.SGD(model.parameters(), lr=1e-3)))
    pred, loss = model.val_step(data)

    assert list(log) == ["loss"]
    assert pred.shape == (3,)
    assert loss > 0


def test_the_preprocessor_of_the_guide_normalises_and_the_steps_of_its_own_run() -> None:
    class NeuralNetwork1(NeuralNetwork):
        def __init__(self, data_preprocessor: Any) -> None:
            super().__init__(data_preprocessor=data_preprocessor)
            self.data_preprocessor = data_preprocessor

        def train_step(self, data: Any, optimizer: Any) -> Any:
            img, label = self.data_preprocessor(data)
            loss = self(img, label, mode="loss")["loss"].sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            return dict(loss=loss)  # noqa: C408 - as users write it

        def test_step(self, data: Any) -> Any:
            img, label = self.data_preprocessor(data)
            return self(img, label, mode="predict")

    class NormalizeDataPreprocessor(BaseDataPreprocessor):
        def forward(self, data: Any, training: bool = False) -> Any:
            img, label = [item for item in data]  # noqa: C416 - as users write it
            img = (img - 127.5) / 127.5
            return img, label

    model = NeuralNetwork1(data_preprocessor=NormalizeDataPreprocessor())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = (torch.full((3, 28, 28), fill_value=127.5), torch.ones(3, 10))

    assert model.train_step(data, optimizer)["loss"].ndim == 0
    assert len(model.test_step(data)) == len(model.val_step(data)) == 2


def test_a_loss_without_a_gradient_is_named() -> None:
    class Detached(Line):
        def forward(self, x: Any, y: Any = None, mode: str = "tensor") -> Any:
            return {"loss": self.linear(x).detach()}

    model = Detached()
    wrapper = OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.1))

    with pytest.raises(ModelTypeError, match="the loss has no gradient"):
        model.train_step((torch.ones(2, 1),), wrapper)
