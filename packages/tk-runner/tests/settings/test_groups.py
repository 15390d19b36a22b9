from __future__ import annotations

from typing import Any

import pytest

from tk_runner.settings.groups import EvaluationSettings, StartSettings, TrainSettings, gather

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
    ("cfg", "problem"),
    [
        ({"max_epoch": 1}, "train_cfg.max_epoch: did you mean 'max_epochs'?"),
        ({"by_epoch": True}, "by_epoch=True without max_epochs"),
        ({"by_epoch": False, "max_iters": 1, "max_epochs": 1}, "by_epoch=False does not use"),
        ({"type": "X", "by_epoch": True}, "both type and by_epoch"),
    ],
    ids=["misspelt", "no length", "two lengths", "two ways"],
)
def test_a_train_cfg_that_cannot_work_is_told(cfg: dict[str, Any], problem: str) -> None:
    group = TrainSettings(dataloader=LOADER, cfg=cfg, optim_wrapper=WRAPPER)

    assert any(problem in text for text in group.problems())


def test_partners_that_are_missing_are_named() -> None:
    (found,) = TrainSettings(dataloader=LOADER).problems()

    assert found == (
        "train_dataloader given without train_cfg and optim_wrapper; give all of them or none"
    )


@pytest.mark.parametrize("mode", ["val", "test"])
def test_an_evaluation_needs_no_cfg_but_an_evaluator(mode: Any) -> None:
    assert EvaluationSettings(mode=mode, dataloader=LOADER, evaluator=[]).problems() == []
    (found,) = EvaluationSettings(mode=mode, dataloader=LOADER).problems()

    assert f"without {mode}_evaluator" in found


def test_a_cfg_without_data_is_told() -> None:
    found = EvaluationSettings(mode="val", cfg={"fp61": True}).problems()

    assert found[0] == "val_cfg is given without val_dataloader"
    assert "did you mean 'fp16'?" in found[1]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"launcher": "slrum"}, "launcher='slrum': did you mean 'slurm'?"),
        ({"randomness": {"sed": 1}}, "randomness.sed: did you mean 'seed'?"),
        ({"resume": "a.pth", "load_from": "b.pth"}, "resume and load_from both name a file"),
    ],
    ids=["launcher", "randomness", "two files"],
)
def test_a_start_that_cannot_work_is_told(settings: dict[str, Any], problem: str) -> None:
    assert any(problem in text for text in StartSettings(**settings).problems())


def test_the_file_to_begin_from_is_the_one_that_is_named() -> None:
    assert StartSettings(resume="a.pth").checkpoint == "a.pth"
    assert StartSettings(resume=True, load_from="b.pth").checkpoint == "b.pth"
    assert StartSettings(resume=True).checkpoint is None


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"resume": 3}, "resume must be True, False or a path, got 3"),
        ({"randomness": 3}, "randomness must be a dict, got 3"),
        ({"randomness": {"seed": "a"}}, "randomness.seed must be a whole number"),
    ],
)
def test_settings_of_a_wrong_kind_are_named(settings: dict[str, Any], problem: str) -> None:
    assert problem in StartSettings(**settings).problems()[0]
