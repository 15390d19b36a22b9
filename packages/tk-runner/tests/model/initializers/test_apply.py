from __future__ import annotations

import logging
from typing import Any

import pytest
import torch
from torch import nn

from tk_registry import WEIGHT_INITIALIZERS
from tk_runner.model import (
    InitializationError,
    ModelSettingsError,
    ModelTypeError,
    constant_init,
    initialize,
)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 1, 1)
        self.head = nn.Linear(1, 1)
        self.reg = nn.Sequential(nn.Linear(1, 1))
        self.scale = nn.Parameter(torch.ones(1))


def values(net: Net) -> list[float]:
    return [float(layer.weight.detach()) for layer in (net.conv, net.head, net.reg[0])]


def test_configs_apply_in_order_each_to_its_layers() -> None:
    net = Net()

    initialize(
        net,
        [
            {"type": "Constant", "val": 1, "layer": ["Conv2d", "Linear"]},
            {"type": "Constant", "val": 2, "layer": "Linear"},
        ],
    )

    assert values(net) == [1, 2, 2]


def test_an_override_with_a_name_only_takes_the_settings_of_the_config() -> None:
    net = Net()

    initialize(net, {"type": "Constant", "val": 1, "layer": "Conv2d", "override": {"name": "reg"}})

    assert [values(net)[0], values(net)[2]] == [1, 1]
    assert values(net)[1] != 1


def test_overrides_may_have_a_type_of_their_own_and_a_dotted_name() -> None:
    net = Net()
    cfg = {
        "type": "Constant", "val": 1, "layer": "Linear",
        "override": [
            {"type": "Constant", "name": "conv", "val": 3},
            {"type": "Constant", "name": "reg.0", "val": 4, "bias": 5},
        ],
    }  # fmt: skip

    initialize(net, cfg)

    assert values(net) == [3, 1, 4]
    assert float(net.reg[0].bias.detach()) == 5
    assert cfg["override"][0]["name"] == "conv"  # a config may be used again


@pytest.mark.parametrize("cfg", ["Constant", [3], 1])
def test_a_config_of_another_kind_is_refused(cfg: Any) -> None:
    with pytest.raises(ModelTypeError, match="init_cfg is a dict or a list of dicts"):
        initialize(Net(), cfg)


@pytest.mark.parametrize(
    ("override", "error", "text"),
    [
        ("conv", ModelTypeError, "override is a dict or a list"),
        ({"type": "Constant", "val": 1}, ModelSettingsError, "which attribute"),
        ({"name": "conv", "val": 1}, ModelSettingsError, "no 'type'"),
        ({"name": "convs"}, InitializationError, "did you mean 'conv'"),
        ({"name": "scale"}, InitializationError, "is a Parameter"),
    ],
)
def test_a_wrong_override_says_what_is_wrong(override: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        initialize(Net(), {"type": "Constant", "val": 1, "layer": "Conv2d", "override": override})


def test_the_errors_are_the_builtins_of_the_reference() -> None:
    assert issubclass(ModelTypeError, TypeError)
    assert issubclass(ModelSettingsError, ValueError)
    assert issubclass(InitializationError, RuntimeError)


def test_a_config_without_layers_changes_nothing_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    net = Net()
    before = values(net)

    with caplog.at_level(logging.WARNING, "tk"):
        initialize(net, {"type": "Constant", "val": 1})

    assert values(net) == before
    assert "initialises nothing: name the classes of the layers" in caplog.text


def test_a_misspelt_layer_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "tk"):
        initialize(Net(), {"type": "Constant", "val": 1, "layer": "Conv2D"})

    assert "no layer is a Conv2D; did you mean 'Conv2d'?" in caplog.text


def test_any_callable_may_be_registered() -> None:
    class Sevens:
        def __call__(self, module: nn.Module) -> None:
            module.apply(lambda one: constant_init(one, 7))

    net = Net()
    WEIGHT_INITIALIZERS.register_module(name="SevensOfATest", module=Sevens, force=True)

    initialize(net, {"type": "SevensOfATest"})

    assert values(net) == [7, 7, 7]
