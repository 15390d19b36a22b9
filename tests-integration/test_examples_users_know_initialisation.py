"""Initialisation by config as MMEngine users know it, and images normalised by the model.

Only imports differ.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from tk_registry import MODELS
from tk_runner.model import (
    BaseDataPreprocessor,
    BaseModel,
    BaseModule,
    ImgDataPreprocessor,
    Sequential,
    constant_init,
    initialize,
    normal_init,
)


@MODELS.register_module()
class FooNet(BaseModule):
    def __init__(self, init_cfg=None):
        super().__init__(init_cfg)
        self.feat = nn.Conv1d(3, 1, 3)
        self.reg = nn.Conv2d(3, 3, 3)
        self.cls = nn.Linear(1, 2)


def values(layer: nn.Module) -> tuple[set[float], set[float]]:
    return set(layer.weight.flatten().tolist()), set(layer.bias.flatten().tolist())


def test_layers_of_a_kind_are_initialised_alike() -> None:
    model = MODELS.build(
        dict(
            type="FooNet",
            init_cfg=dict(type="Constant", val=1, bias=2, layer=["Conv1d", "Conv2d", "Linear"]),
        )
    )
    model.init_weights()

    assert values(model.feat) == values(model.reg) == values(model.cls) == ({1.0}, {2.0})


def test_each_kind_of_layer_has_an_initializer_of_its_own() -> None:
    init_cfg = [
        dict(type="Constant", layer="Conv1d", val=1),
        dict(type="Constant", layer="Conv2d", val=2),
        dict(type="Constant", layer="Linear", val=3),
    ]
    model = FooNet(init_cfg)
    model.init_weights()

    assert [values(layer)[0] for layer in (model.feat, model.reg, model.cls)] == [
        {1.0},
        {2.0},
        {3.0},
    ]


def test_an_override_changes_one_part_and_leaves_the_rest_to_the_layers() -> None:
    init_cfg = dict(
        type="Constant",
        layer=["Conv1d", "Conv2d"],
        val=1,
        bias=2,
        override=dict(type="Constant", name="reg", val=3, bias=4),
    )
    model = FooNet(init_cfg)
    before = model.cls.weight.detach().clone()
    model.init_weights()

    assert values(model.feat) == ({1.0}, {2.0})
    assert values(model.reg) == ({3.0}, {4.0})
    assert torch.equal(model.cls.weight, before)


def test_pretrained_weights_come_from_a_checkpoint(tmp_path: Path) -> None:
    trained = FooNet(dict(type="Constant", val=5, layer=["Conv1d", "Conv2d", "Linear"]))
    trained.init_weights()
    torch.save(trained.state_dict(), tmp_path / "model.pth")

    model = FooNet(dict(type="Pretrained", checkpoint=str(tmp_path / "model.pth")))
    model.init_weights()

    assert values(model.reg) == ({5.0}, {0.0})


def test_a_part_of_a_checkpoint_is_loaded_by_its_prefix(tmp_path: Path) -> None:
    backbone = FooNet(dict(type="Constant", val=5, layer=["Conv1d", "Conv2d", "Linear"]))
    backbone.init_weights()
    weights = {f"backbone.{name}": value for name, value in backbone.state_dict().items()}
    torch.save(weights, tmp_path / "detector.pth")

    model = FooNet(
        dict(type="Pretrained", checkpoint=str(tmp_path / "detector.pth"), prefix="backbone.")
    )
    model.init_weights()

    assert values(model.reg)[0] == {5.0}


def test_a_childs_own_config_wins_over_its_containers() -> None:
    own = dict(type="Constant", val=1, layer=["Conv1d", "Conv2d", "Linear"])
    others = dict(type="Constant", val=2, layer=["Conv1d", "Conv2d", "Linear"])
    model = Sequential(FooNet(own), nn.Linear(1, 1), init_cfg=others)
    model.init_weights()

    assert values(model[0].reg)[0] == {1.0}
    assert values(model[1])[0] == {2.0}


def test_functions_initialise_a_layer_or_what_a_config_names() -> None:
    layer, model = nn.Conv1d(3, 1, 3), FooNet()

    normal_init(layer, mean=0, std=0.01, bias=0)
    constant_init(model.cls, val=1, bias=0.5)
    initialize(model, dict(type="Constant", layer="Conv2d", val=7))

    assert 0 < layer.weight.abs().max() < 0.1
    assert values(model.cls) == ({1.0}, {0.5})
    assert values(model.reg)[0] == {7.0}


def test_a_user_module_may_go_on_after_the_config_was_applied() -> None:
    class ToyConv(BaseModule):
        def __init__(self):
            super().__init__(dict(type="Constant", layer="Conv1d", val=0))
            self.conv = nn.Conv1d(1, 1, 1)
            self.scale = nn.Parameter(torch.zeros(1))

        def init_weights(self):
            super().init_weights()
            nn.init.constant_(self.scale, 3)

    model = Sequential(ToyConv())
    model.init_weights()

    assert model[0].scale.item() == 3
    assert values(model[0].conv)[0] == {0.0}


def test_images_are_normalised_padded_and_stacked_by_the_model() -> None:
    preprocessor = ImgDataPreprocessor(
        mean=[127.5] * 3, std=[127.5] * 3, pad_size_divisor=4, bgr_to_rgb=True
    )
    image = torch.zeros(3, 5, 6, dtype=torch.uint8)
    image[0] = 255

    data = preprocessor({"inputs": [image], "data_samples": ["a label"]}, training=True)

    assert data["inputs"].shape == (1, 3, 8, 8)
    assert data["data_samples"] == ["a label"]
    # the first channel became the last; padding comes after normalising
    assert data["inputs"][0, :, 0, 0].tolist() == [-1.0, -1.0, 1.0]
    assert data["inputs"][0, :, 7, 7].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "preprocessor",
    [dict(type="ImgDataPreprocessor", mean=[0.0], std=[1.0]), None],
    ids=["of images", "the default one"],
)
def test_a_model_builds_its_preprocessor_from_a_config(preprocessor: dict | None) -> None:
    class Model(BaseModel):
        def forward(self, inputs, data_samples=None, mode="tensor"):
            return inputs

    model = Model(data_preprocessor=preprocessor)

    expected = ImgDataPreprocessor if preprocessor else BaseDataPreprocessor
    assert type(model.data_preprocessor) is expected
