"""Hooks as MMEngine users know them: the default ones by name, and one that checks the loss.

Only imports differ, and what the known examples get wrong:

- ``custom_hooks = dict(dict(...))`` is a dict where a list is meant.
- ``TextLoggerHook`` and ``OptimizerHook`` do not exist; the former is ``LoggerHook``.
- ``assert condition, runner.logger.info(...)`` asserts with ``None`` as its text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import toy_training

from tk_registry import HOOKS
from tk_runner import Hook, Runner


@HOOKS.register_module()
class CheckInvalidLossHook(Hook):
    """Check invalid loss hook.

    This hook will regularly check whether the loss is valid
    during training.

    Args:
        interval (int): Checking interval (every k iterations).
            Defaults to 50.
    """

    def __init__(self, interval=50):
        self.interval = interval
        self.checked = 0

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        if self.every_n_train_iters(runner, self.interval):
            self.checked += 1
            assert torch.isfinite(outputs["loss"]), runner.logger.info(
                "loss become infinite or NaN!"
            )


class Overflows(toy_training.Classifier):
    """Its loss is infinite from the eighth step on."""

    steps = 0

    def forward(self, points: torch.Tensor, labels: torch.Tensor, mode: str = "tensor") -> Any:
        losses = super().forward(points, labels, mode)
        if mode == "loss":
            self.steps += 1
            losses["loss"] = losses["loss"] * (float("inf") if self.steps >= 8 else 1.0)
        return losses


def runner(work_dir: Path, **changes: Any) -> Runner:
    settings: dict[str, Any] = {"custom_hooks": None, "default_hooks": None, **changes}
    return toy_training.runner(work_dir, **settings)


def test_the_hook_looks_at_every_kth_loss(tmp_path: Path) -> None:
    custom_hooks = [dict(type="CheckInvalidLossHook", interval=5)]

    run = runner(tmp_path, custom_hooks=custom_hooks)
    run.train()

    (hook,) = [one for one in run.hooks if isinstance(one, CheckInvalidLossHook)]
    assert hook.checked == 24 // 5


def test_the_hook_ends_a_run_whose_loss_is_infinite_and_says_so_in_the_log(tmp_path: Path) -> None:
    run = runner(
        tmp_path,
        model=Overflows(),
        log_level="INFO",
        default_hooks={"nan_guard": None},
        custom_hooks=[dict(type="CheckInvalidLossHook", interval=5)],
    )

    with pytest.raises(AssertionError):
        run.train()
    (log,) = Path(run.log_dir).glob("*.log")

    assert run.iter == 9
    assert "loss become infinite or NaN!" in log.read_text()


def test_default_hooks_run_by_priority_and_custom_ones_where_they_ask(tmp_path: Path) -> None:
    default_hooks = dict(
        runtime_info=dict(type="RuntimeInfoHook"),
        timer=dict(type="IterTimerHook"),
        sampler_seed=dict(type="DistSamplerSeedHook"),
        logger=dict(type="LoggerHook"),
        param_scheduler=dict(type="ParamSchedulerHook"),
        checkpoint=dict(type="CheckpointHook", interval=1),
    )
    custom_hooks = [
        dict(type="CheckInvalidLossHook", priority="LOWEST"),
        dict(type="EMAHook"),
    ]

    run = runner(tmp_path, default_hooks=default_hooks, custom_hooks=custom_hooks)

    names = [type(hook).__name__ for hook in run.hooks]
    known = [name for name in names if name != "NaNGuardHook"]
    assert known == [
        "RuntimeInfoHook",
        "IterTimerHook",
        "DistSamplerSeedHook",
        "EMAHook",
        "LoggerHook",
        "ParamSchedulerHook",
        "CheckpointHook",
        "CheckInvalidLossHook",
    ]


CHECKPOINTS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "every second epoch": (
        dict(type="CheckpointHook", interval=2, by_epoch=True),
        {"epoch_2.pth", "epoch_3.pth"},
    ),
    "every tenth iteration": (
        dict(type="CheckpointHook", interval=10, by_epoch=False),
        {"iter_10.pth", "iter_20.pth", "iter_24.pth"},
    ),
    "the last two": (
        dict(type="CheckpointHook", interval=1, max_keep_ckpts=2),
        {"epoch_2.pth", "epoch_3.pth"},
    ),
    "elsewhere": (
        dict(type="CheckpointHook", interval=5, out_dir="elsewhere"),
        set(),
    ),
}


@pytest.mark.parametrize(("hook", "expected"), CHECKPOINTS.values(), ids=CHECKPOINTS)
def test_checkpoints_are_kept_as_the_hook_says(
    hook: dict[str, Any], expected: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runner(tmp_path / "work", default_hooks=dict(checkpoint=hook)).train()

    assert {path.name for path in (tmp_path / "work").glob("*.pth")} == expected
    elsewhere = {path.name for path in (tmp_path / "elsewhere").glob("work/*.pth")}
    assert elsewhere == ({"epoch_3.pth"} if not expected else set())


@pytest.mark.parametrize("save_best", ["auto", "toy/accuracy"])
def test_the_best_checkpoint_is_kept_by_the_first_metric_or_a_named_one(
    save_best: str, tmp_path: Path
) -> None:
    hook = dict(type="CheckpointHook", save_best=save_best)
    run = runner(tmp_path, default_hooks=dict(checkpoint=hook))
    run.train()

    (best,) = tmp_path.glob("best_toy_accuracy_epoch_*.pth")
    scores = run.message_hub.get_scalar("val/toy/accuracy").data[0].tolist()
    assert best.name == f"best_toy_accuracy_epoch_{scores.index(max(scores)) + 1}.pth"


def test_lines_are_logged_at_the_interval(tmp_path: Path) -> None:
    run = runner(
        tmp_path, log_level="INFO", default_hooks=dict(logger=dict(type="LoggerHook", interval=4))
    )
    run.train()

    (log,) = Path(run.log_dir).glob("*.log")
    assert log.read_text().count("Epoch(train)") == 24 // 4


def test_custom_hooks_given_as_a_dict_are_refused_with_what_was_expected(tmp_path: Path) -> None:
    custom_hooks = dict(dict(type="CheckInvalidLossHook", interval=50))

    with pytest.raises((TypeError, ValueError), match=r"hook.*(list|config)"):
        runner(tmp_path, custom_hooks=custom_hooks)
