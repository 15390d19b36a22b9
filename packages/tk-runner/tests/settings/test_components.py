from __future__ import annotations

from typing import Any

import pytest

from tk_runner.settings.components import component_problems
from tk_runner.settings.run_settings import RunSettings


def problems(**arguments: Any) -> list[str]:
    settings = RunSettings.of({"model": object(), "work_dir": "w", **arguments})
    return [str(problem) for problem in component_problems(settings)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"randomness": {"sed": 1}}, "randomness.sed: there is no argument 'sed'"),
        ({"randomness": {"seed": 2**70}}, "randomness.seed: seed must be a whole number"),
        ({"randomness": {"deterministic": "no"}}, "randomness.deterministic: "),
        ({"env_cfg": {"cudnn": True}}, "env_cfg.cudnn: there is no argument 'cudnn'"),
        ({"env_cfg": {"mp_cfg": {"mp_start_method": "frok"}}}, "env_cfg.mp_cfg.mp_start_method: "),
        ({"train_cfg": {"max_epochs": "2"}}, "train_cfg.max_epochs: the argument 'max_epochs' "),
        ({"train_cfg": {"by_epoch": False, "max_iters": 1, "x": 1}}, "train_cfg.x: there is no"),
        ({"train_cfg": {"max_epochs": 1, "val_interval": 0}}, "train_cfg.val_interval: val_inter"),
        ({"custom_hooks": [{"type": "EMAHook", "momentum": 2.0}]}, "custom_hooks.0.momentum: "),
        ({"default_hooks": {"checkpoint": {"interval": 0}}}, "default_hooks.checkpoint.interval: "),
        (
            {"default_hooks": {"checkpoint": {"filename_tmpl": "../x.pth"}}},
            "default_hooks.checkpoint.filename_tmpl: ",
        ),
        ({"default_hooks": {"logger": {"interval": 0}}}, "default_hooks.logger.interval: "),
        ({"val_cfg": {"fp61": True}}, "val_cfg.fp61: there is no argument 'fp61'; did you mean"),
        ({"auto_scale_lr": {"enable": True}}, "auto_scale_lr.base_batch_size: enable=True needs"),
        ({"default_hooks": {"logger": {"intervall": 1}}}, "default_hooks.logger.intervall: "),
        ({"log_processor": {"windowsize": 1}}, "log_processor.windowsize: "),
        ({"visualizer": {"vis_backends": [{"type": "LocalVis"}]}}, "visualizer.vis_backends.0."),
        ({"model_wrapper_cfg": {"type": "NoWrapper"}}, "model_wrapper_cfg.type: "),
        ({"param_scheduler": {"step_size": 1}}, "param_scheduler: a parameter scheduler is built"),
        (
            {"param_scheduler": {"gen": [{"type": "StepLR", "step_size": 0}]}},
            "param_scheduler.gen.0.step_size: ",
        ),
        ({"strategy": "ddp"}, "strategy: a strategy is built from a dict"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_setting_that_nobody_can_take_is_named(arguments: dict[str, Any], expected: str) -> None:
    (found,) = problems(**arguments)

    assert found.startswith(expected)


def test_what_the_package_takes_is_right() -> None:
    found = problems(
        train_cfg={"by_epoch": False, "max_iters": 10, "val_interval": 2},
        val_cfg={"fp16": True},
        randomness={"seed": None, "diff_rank_seed": True},
        env_cfg={"cudnn_benchmark": True, "mp_cfg": {"mp_start_method": "fork"}, "dist_cfg": {}},
        auto_scale_lr={"enable": False},
        default_hooks={"checkpoint": {"interval": 1}, "timer": None},
        custom_hooks=[{"type": "EMAHook", "priority": "LOW"}],
        visualizer={"vis_backends": [{"type": "LocalVisBackend", "name": "mine"}]},
        log_processor={"window_size": 5},
    )

    assert found == []
