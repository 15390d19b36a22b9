from __future__ import annotations

from typing import Any

import pytest

from tk_runner.settings.groups import (
    EvaluationSettings,
    HookSettings,
    StartSettings,
    TrainSettings,
    gather,
)

LOADER, WRAPPER, EPOCHS = object(), object(), {"by_epoch": True, "max_epochs": 1}


def test_whole_groups_and_empty_groups_are_right() -> None:
    groups = [
        TrainSettings(),
        TrainSettings(dataloader=LOADER, cfg=EPOCHS, optim_wrapper=WRAPPER),
        EvaluationSettings(mode="val"),
        EvaluationSettings(mode="test", dataloader=LOADER, evaluator=[]),
        StartSettings(load_from="a.pth", resume=True, launcher="slurm", randomness={"seed": 1}),
    ]

    assert gather(groups) == []


@pytest.mark.parametrize(
    ("cfg", "path", "problem"),
    [
        ({"by_epoch": True}, "train_cfg", "by_epoch=True needs max_epochs"),
        (
            {"by_epoch": False, "max_iters": 1, "max_epochs": 1},
            "train_cfg.max_epochs",
            "by_epoch=False does not use max_epochs",
        ),
        ({"type": "X", "by_epoch": True}, "train_cfg.by_epoch", "both type and by_epoch"),
        ({"by_epoch": "False"}, "train_cfg.by_epoch", "must be True or False, got 'False'"),
    ],
    ids=["no length", "two lengths", "two ways", "a text"],
)
def test_a_train_cfg_that_cannot_work_is_told(cfg: dict[str, Any], path: str, problem: str) -> None:
    (found,) = TrainSettings(dataloader=LOADER, cfg=cfg, optim_wrapper=WRAPPER).problems()

    assert found.path == path
    assert problem in found.message


def test_partners_that_are_missing_are_named() -> None:
    (found,) = TrainSettings(dataloader=LOADER).problems()

    assert found.message == (
        "train_dataloader given without train_cfg and optim_wrapper; give all of them or none"
    )


def test_schedules_need_something_to_schedule() -> None:
    (found,) = TrainSettings(param_scheduler={"type": "StepLR"}).problems()

    assert str(found).startswith("param_scheduler: it is given without optim_wrapper")


@pytest.mark.parametrize("mode", ["val", "test"])
def test_an_evaluation_needs_no_cfg_but_an_evaluator(mode: Any) -> None:
    assert EvaluationSettings(mode=mode, dataloader=LOADER, evaluator=[]).problems() == []
    (found,) = EvaluationSettings(mode=mode, dataloader=LOADER).problems()

    assert f"without {mode}_evaluator" in found.message


def test_a_cfg_without_data_is_told() -> None:
    (found,) = EvaluationSettings(mode="val", cfg={}).problems()

    assert str(found) == "val_cfg: it is given without val_dataloader"


@pytest.mark.parametrize(
    ("settings", "path", "problem"),
    [
        ({"launcher": "slrum"}, "launcher", "did you mean 'slurm'?"),
        ({"resume": "a.pth", "load_from": "b.pth"}, "resume", "both name a file"),
        ({"resume": 3}, "resume", "must be True, False or a path, got 3"),
        ({"time_budget_s": "1h"}, "time_budget_s", "must be a number of 0 or more, got '1h'"),
    ],
    ids=["launcher", "two files", "no file", "no number"],
)
def test_a_start_that_cannot_work_is_told(
    settings: dict[str, Any], path: str, problem: str
) -> None:
    (found,) = StartSettings(**settings).problems()

    assert found.path == path
    assert problem in found.message


def test_the_file_to_begin_from_is_the_one_that_is_named() -> None:
    assert StartSettings(resume="a.pth").checkpoint == "a.pth"
    assert StartSettings(resume=True, load_from="b.pth").checkpoint == "b.pth"
    assert StartSettings(resume=True).checkpoint is None


@pytest.mark.parametrize(
    ("hooks", "problem"),
    [
        ({"default": {"loger": None}}, "default_hooks.loger: it is None"),
        ({"default": {"loger": None}}, "did you mean 'logger'?"),
        ({"default": {"checkpiont": {"interval": 3}}}, "default_hooks.checkpiont: it has no type"),
        ({"default": [{"type": "LoggerHook"}]}, "belongs into custom_hooks"),
        ({"custom": {"type": "LoggerHook"}}, "put [ ] around it"),
    ],
)
def test_hooks_in_a_wrong_form_are_told(hooks: dict[str, Any], problem: str) -> None:
    (found,) = HookSettings(**hooks).problems()

    assert problem in str(found)


def test_a_default_hook_need_not_repeat_its_type() -> None:
    assert HookSettings(default={"checkpoint": {"interval": 1}, "logger": None}).problems() == []
