"""Torch's optimizers by name."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest
import torch
from torch import nn
from torch.optim import Optimizer

from tk_optim import TORCH_OPTIMIZERS, build_optim_wrapper
from tk_registry import OPTIMIZERS

EVERY = [
    name for name, one in vars(torch.optim).items()
    if isinstance(one, type) and issubclass(one, Optimizer) and one is not Optimizer
]  # fmt: skip


def test_every_optimizer_of_torch_is_listed() -> None:
    assert sorted(TORCH_OPTIMIZERS) == sorted(EVERY)


@pytest.mark.parametrize("name", EVERY)
def test_every_optimizer_of_torch_is_built_by_its_name(name: str) -> None:
    model = nn.Linear(3, 3, bias=False)
    wrapper = build_optim_wrapper(model, {"optimizer": {"type": name, "lr": 0.01}})

    assert type(wrapper.optimizer) is getattr(torch.optim, name) is OPTIMIZERS.get(name)


def test_mmengines_name_of_torchs_adafactor_is_known() -> None:
    assert OPTIMIZERS.get("TorchAdafactor") is torch.optim.Adafactor


def test_a_name_that_a_user_has_taken_stays_the_users() -> None:
    code = (
        "from tk_registry import OPTIMIZERS\n"
        "class SGD: pass\n"
        "OPTIMIZERS.register_module(module=SGD)\n"
        "import tk_optim.registration\n"
        "assert OPTIMIZERS.get('SGD') is SGD\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_other_package_is_looked_for_at_import() -> None:
    code = (
        "import sys, tk_optim.registration\n"
        "assert not {'transformers', 'bitsandbytes', 'deepspeed', 'torch.distributed.optim'}"
        " & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


BAD_VALUES = {
    "betas": (0.9, 1.0),
    "initial_accumulator_value": -1.0,
    "lr": -1.0,
    "lr_decay": -1.0,
    "momentum": -1.0,
    "rho": 1.5,
    "weight_decay": -1.0,
}


@pytest.mark.parametrize("name", EVERY)
def test_a_check_finds_what_torch_would_refuse(name: str) -> None:
    for key in BAD_VALUES.keys() & inspect.signature(getattr(torch.optim, name)).parameters:
        cfg = {"type": name, "lr": 0.1, key: BAD_VALUES[key]}
        problems = OPTIMIZERS.check(cfg)

        assert [problem.path for problem in problems] == [key]
        with pytest.raises(ValueError, match=r"nvalid|should be"):
            OPTIMIZERS.build(cfg, default_args={"params": [nn.Parameter(torch.zeros(2, 2))]})


def test_nesterov_needs_momentum() -> None:
    problems = OPTIMIZERS.check({"type": "SGD", "lr": 0.1, "nesterov": True})

    assert [problem.path for problem in problems] == ["nesterov"]
    assert OPTIMIZERS.check({"type": "SGD", "lr": 0.1, "nesterov": True, "momentum": 0.9}) == []
