"""Registries as MMEngine users know them: modules by name, and across projects.

Only imports differ, and what the known examples get wrong: ``Registry('models')`` is shown without
a scope, which is then the name of the package that asks, here that of the test module.
"""

from __future__ import annotations

import pytest
import torch
from torch import nn

import tk_registry
from tk_registry import MODELS, Registry, UnknownNameError

ACTIVATION = Registry("activation", scope="mmengine")


@ACTIVATION.register_module()
class Sigmoid(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        print("call Sigmoid.forward")
        return x


@ACTIVATION.register_module()
class ReLU(nn.Module):
    def __init__(self, inplace=False):
        super().__init__()

    def forward(self, x):
        print("call ReLU.forward")
        return x


@ACTIVATION.register_module()
class Softmax(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        print("call Softmax.forward")
        return x


@pytest.mark.parametrize(
    ("act_cfg", "said"),
    [
        (dict(type="Sigmoid"), "call Sigmoid.forward"),
        (dict(type="ReLU", inplace=True), "call ReLU.forward"),
    ],
)
def test_another_activation_is_another_name_in_the_config(
    act_cfg: dict, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    input = torch.randn(2)

    activation = ACTIVATION.build(act_cfg)
    output = activation(input)

    assert capsys.readouterr().out.strip() == said
    assert output is input


def test_the_table_of_names_holds_the_classes() -> None:
    assert dict(ACTIVATION.module_dict) == {"Sigmoid": Sigmoid, "ReLU": ReLU, "Softmax": Softmax}


def test_a_class_is_registered_by_a_call_as_well_as_by_a_decorator() -> None:
    registry = Registry("activation", scope="by_call")

    registry.register_module(module=ReLU)

    assert registry.get("ReLU") is ReLU


def test_classes_and_functions_are_built_by_name() -> None:
    MODELS = Registry("models")

    @MODELS.register_module()
    class ResNet:
        pass

    @MODELS.register_module()
    def resnet50():
        return ResNet()

    assert isinstance(MODELS.build(dict(type="ResNet")), ResNet)
    assert isinstance(MODELS.build(dict(type="resnet50")), ResNet)


def test_a_project_finds_its_own_modules_and_those_of_its_parents() -> None:
    models = Registry("models", scope="family")
    detectors = Registry("detectors", parent=models, scope="det")
    segmentors = Registry("segmentors", parent=models, scope="seg")

    @models.register_module()
    class ResNet:
        pass

    @detectors.register_module()
    class FasterRCNN:
        pass

    @segmentors.register_module()
    class UNet:
        pass

    assert isinstance(detectors.build(dict(type="FasterRCNN")), FasterRCNN)
    assert isinstance(detectors.build(dict(type="ResNet")), ResNet)
    assert isinstance(detectors.build(dict(type="seg.UNet")), UNet)
    with pytest.raises(UnknownNameError, match="UNet"):
        detectors.build(dict(type="UNet"))


def test_the_root_registries_are_there_under_their_known_names() -> None:
    known = """RUNNERS RUNNER_CONSTRUCTORS LOOPS HOOKS DATASETS DATA_SAMPLERS TRANSFORMS MODELS
    MODEL_WRAPPERS WEIGHT_INITIALIZERS OPTIMIZERS OPTIM_WRAPPERS OPTIM_WRAPPER_CONSTRUCTORS
    PARAM_SCHEDULERS METRICS EVALUATOR TASK_UTILS VISUALIZERS VISBACKENDS LOG_PROCESSORS"""

    assert all(isinstance(getattr(tk_registry, name), Registry) for name in known.split())


def test_a_project_builds_layers_of_torch_by_their_path_beside_its_own() -> None:
    project = Registry("model", parent=MODELS, scope="stacks")
    project.register_module("Twice", module=lambda: nn.Upsample(scale_factor=2))

    convolution = project.build(
        dict(type="torch.nn.Conv2d", in_channels=1, out_channels=2, kernel_size=1)
    )
    twice = project.build(dict(type="Twice"))

    assert twice(convolution(torch.ones(1, 1, 2, 2))).shape == (1, 2, 4, 4)
