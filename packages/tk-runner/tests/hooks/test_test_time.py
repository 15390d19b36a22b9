"""A test-time model around the run's model, for the time of a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from doubling import Doubler, loader, scripted
from torch import nn

from tk_registry import MODELS
from tk_runner import InvalidSettingsError
from tk_runner.hooks import PrepareTTAHook

Make = Callable[..., Any]


class Twice(nn.Module):
    """Predicts twice, and notes that it did."""

    def __init__(self, module: nn.Module, fails: bool = False) -> None:
        super().__init__()
        self.module = module
        self.fails = fails
        self.used: list[int] = []

    def test_step(self, data: Any) -> Any:
        if self.fails:
            raise ArithmeticError("cannot merge")
        self.used.append(1)
        self.module.test_step(data)
        return self.module.test_step(data)


def run_of_a_test(make_run: Make, **settings: Any) -> tuple[Any, Doubler]:
    model = Doubler()
    hook = PrepareTTAHook({"type": Twice, **settings})
    runner = make_run(
        epochs=None,
        model=model,
        hooks=[hook],
        test_dataloader=loader(),
        test_evaluator=scripted("acc", 0.5),
    )
    return runner, model


def test_a_test_uses_the_wrapped_model_and_gives_the_own_one_back(
    make_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    build = MODELS.build

    def keep(*args: Any, **kwargs: Any) -> Any:
        made.append(build(*args, **kwargs))
        return made[-1]

    monkeypatch.setattr(MODELS, "build", keep)
    runner, model = run_of_a_test(make_run)

    assert runner.test() == {"acc": 0.5}
    assert len(made[0].used) == 4
    assert runner.model is model


def test_a_test_that_breaks_off_gives_the_own_model_back(make_run: Make) -> None:
    runner, model = run_of_a_test(make_run, fails=True)

    with pytest.raises(ArithmeticError, match="cannot merge"):
        runner.test()
    assert runner.model is model


def test_a_config_without_a_type_is_refused() -> None:
    with pytest.raises(InvalidSettingsError, match="tta_cfg has no 'type'"):
        PrepareTTAHook({"module": 1})
