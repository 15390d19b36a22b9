from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader
from toy_run import NOT_VALIDATING, Toy, toy_data, toy_run
from version_1.digits_like import rest_of

from tk_optim import OptimWrapper, OptimWrapperDict
from tk_runner import Hook, read_checkpoint
from tk_runner.checkpoint import FORMAT_VERSION, KEYS
from tk_runner.run.state import collect_state


class Counter(Hook):
    """Counts iterations, and keeps the count over a stop."""

    def __init__(self) -> None:
        self.count = 0

    def after_train_iter(self, runner: Any, batch_idx: int, **rest: Any) -> None:
        self.count += 1

    def state_dict(self) -> dict[str, Any]:
        return {"count": self.count}

    def load_state_dict(self, state_dict: Any) -> None:
        self.count = state_dict["count"]


def test_a_checkpoint_holds_what_its_table_says(tmp_path: Path) -> None:
    toy_run(tmp_path, param_scheduler={"type": "StepLR", "step_size": 1}).train()

    checkpoint = read_checkpoint(tmp_path / "epoch_2.pth")

    assert checkpoint["format_version"] == FORMAT_VERSION
    assert set(checkpoint) <= set(KEYS)
    assert set(KEYS) - set(checkpoint) == {"ema_state_dict"}


def test_the_safe_loader_of_torch_reads_it(tmp_path: Path) -> None:
    toy_run(tmp_path, **NOT_VALIDATING).train()

    assert torch.load(tmp_path / "epoch_2.pth", weights_only=True)["meta"]["iter"] == 12


def test_optimizer_and_schedules_can_be_left_out(tmp_path: Path) -> None:
    hooks = {
        "checkpoint": {
            "type": "CheckpointHook",
            "interval": 1,
            "save_optimizer": False,
            "save_param_scheduler": False,
        }
    }
    toy_run(tmp_path, default_hooks=hooks, **NOT_VALIDATING).train()

    checkpoint = read_checkpoint(tmp_path / "epoch_2.pth")

    assert not {"optimizer", "param_schedulers"} & set(checkpoint)


def test_the_state_of_a_hook_comes_back(tmp_path: Path) -> None:
    one_epoch = {"by_epoch": True, "max_epochs": 1}
    toy_run(tmp_path, train_cfg=one_epoch, custom_hooks=[Counter(), Counter()]).train()
    hooks = [Counter(), Counter()]

    toy_run(tmp_path, resume=True, custom_hooks=hooks).train()

    assert [hook.count for hook in hooks] == [12, 12]


def test_gradients_are_kept_inside_an_accumulation_group_only(tmp_path: Path) -> None:
    wrapper = {"optimizer": {"type": "SGD", "lr": 0.1}, "accumulative_counts": 4}
    kept: dict[int, bool] = {}

    class Look(Hook):
        priority = "LOWEST"

        def after_train_iter(self, runner: Any, batch_idx: int, **rest: Any) -> None:
            kept[runner.iter + 1] = "gradients" in collect_state(runner)["ranks"][0]

    toy_run(tmp_path, optim_wrapper=wrapper, custom_hooks=[Look()], **NOT_VALIDATING).train()

    # 12 iterations in groups of 4
    assert [iteration for iteration, has in kept.items() if not has] == [4, 8, 12]


def test_a_state_that_is_not_plain_is_refused_by_its_path(tmp_path: Path) -> None:
    class Careless(Hook):
        def state_dict(self) -> dict[str, Any]:
            return {"model": Toy()}

    runner = toy_run(tmp_path, custom_hooks=[Careless()], **NOT_VALIDATING)

    with pytest.raises(TypeError, match=r"hooks\.Careless\.model"):
        runner.train()

    assert runner.iter == 0  # said before the first iteration


def test_a_state_of_the_model_that_is_not_plain_is_told_before_the_first_iteration(
    tmp_path: Path,
) -> None:
    class Keeps(Toy):
        def get_extra_state(self) -> Any:
            return {"file": object()}

        def set_extra_state(self, state: Any) -> None:
            raise NotImplementedError

    runner = toy_run(tmp_path, model=Keeps(), **NOT_VALIDATING)

    with pytest.raises(TypeError, match=r"state_dict\._extra_state\.file"):
        runner.train()

    assert runner.iter == 0


def test_other_schedules_than_the_saved_ones_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    step = {"type": "StepLR", "step_size": 5}
    one_epoch = {"by_epoch": True, "max_epochs": 1}
    toy_run(tmp_path, train_cfg=one_epoch, param_scheduler=step, **NOT_VALIDATING).train()

    more = {"type": "ConstantLR", "end": 2}
    toy_run(
        tmp_path, resume=True, param_scheduler=[step, more], log_level="WARNING", **NOT_VALIDATING
    ).train()

    assert "ConstantLR of lr has no saved state: it starts where the run stands, at its step 1" in (
        caplog.text
    )


class Rates(Hook):
    """Notes the learning rate of each iteration."""

    priority = "VERY_HIGH"

    def __init__(self) -> None:
        self.rates: list[float] = []

    def before_train_iter(self, runner: Any, batch_idx: int, **rest: Any) -> None:
        self.rates += runner.optim_wrapper.get_lr()["lr"]


def test_a_schedule_that_is_added_on_resuming_starts_where_the_run_stands(tmp_path: Path) -> None:
    one_epoch = {"by_epoch": True, "max_epochs": 1}
    toy_run(tmp_path, train_cfg=one_epoch, **NOT_VALIDATING).train()
    step = {"type": "StepLR", "step_size": 1, "gamma": 0.5}
    noted = Rates()
    toy_run(
        tmp_path, resume=True, param_scheduler=step, custom_hooks=[noted], **NOT_VALIDATING
    ).train()

    assert set(noted.rates) == {0.05}


def test_with_longer_epochs_a_schedule_in_epochs_and_the_last_iteration_follow(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def run(batch_size: int, max_epochs: int, **changes: Any) -> Any:
        return toy_run(
            tmp_path,
            train_dataloader=DataLoader(toy_data(), batch_size=batch_size),
            train_cfg={"by_epoch": True, "max_epochs": max_epochs},
            param_scheduler=[
                {"type": "CosineAnnealingLR", "T_max": 4, "convert_to_iter_based": True, "end": 4},
                {"type": "ConstantLR", "by_epoch": False, "factor": 0.5, "end": 3},
            ],
            **changes,
            **NOT_VALIDATING,
        )

    run(8, 2).train()  # 3 iterations an epoch
    noted = Rates()
    resumed = run(4, 4, resume=True, custom_hooks=[noted], log_level="WARNING")
    resumed.train()

    assert noted.rates[0] == pytest.approx(0.05)  # half of the cosine
    assert noted.rates[-1] == pytest.approx(0.1 * (1 + math.cos(math.pi * 23 / 24)) / 2)
    assert (resumed.iter, resumed.max_iters) == (18, 18)  # 2 epochs of 3 and 2 of 6
    assert "ConstantLR of lr counts iterations and keeps its numbers" in caplog.text


class Adversaries(Toy):
    """Two parts with an optimizer each; the loss of one leaves gradients in the other."""

    def __init__(self) -> None:
        super().__init__()
        self.made, self.judge = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)

    def train_step(self, data: Any, optim_wrapper: Any) -> dict[str, torch.Tensor]:
        rows, _ = data
        judged = self.judge(self.made(torch.randn_like(rows)).detach()) - self.judge(rows)
        optim_wrapper["judge"].update_params(judged.square().mean())
        fooled = -self.judge(self.made(torch.randn_like(rows))).mean()
        optim_wrapper["made"].update_params(fooled)
        return {"loss": fooled.detach()}


def adversaries_run(work_dir: Path, **changes: Any) -> Any:
    torch.manual_seed(0)
    model = Adversaries()
    wrapper = OptimWrapperDict(
        judge=OptimWrapper(torch.optim.Adam(model.judge.parameters()), accumulative_counts=3),
        made=OptimWrapper(torch.optim.Adam(model.made.parameters()), accumulative_counts=2),
    )
    return toy_run(work_dir, model=model, optim_wrapper=wrapper, **NOT_VALIDATING, **changes)


@pytest.mark.parametrize("stopped_after", [3, 4])
def test_several_optimizers_go_on_within_their_accumulation_groups(
    tmp_path: Path, stopped_after: int
) -> None:
    class Stop(Hook):
        def after_train_iter(self, runner: Any, batch_idx: int, **rest: Any) -> None:
            if runner.iter + 1 == stopped_after:
                runner.stop_requests.request(75)

    straight = adversaries_run(tmp_path / "straight")
    straight.train()
    with pytest.raises(SystemExit):
        adversaries_run(tmp_path / "stopped", custom_hooks=[Stop()]).train()
    resumed = adversaries_run(tmp_path / "stopped", resume=True)
    resumed.train()

    expected = straight.model.state_dict()
    assert all(torch.equal(one, expected[key]) for key, one in resumed.model.state_dict().items())


class OwnLoader(DataLoader[Any]):
    """A loader that is kept as it is."""


def test_a_loader_of_another_class_goes_on_in_its_shuffled_order(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Stop(Hook):
        def after_train_iter(self, runner: Any, batch_idx: int, **rest: Any) -> None:
            if runner.iter == 2:
                runner.stop_requests.request(75)

    def run(work_dir: Path, **changes: Any) -> Any:
        loader = OwnLoader(toy_data(), batch_size=5, shuffle=True)
        return toy_run(work_dir, train_dataloader=loader, **NOT_VALIDATING, **changes)

    straight = run(tmp_path / "straight")
    straight.train()
    with pytest.raises(SystemExit):
        run(tmp_path / "stopped", custom_hooks=[Stop()]).train()
    resumed = run(tmp_path / "stopped", resume=True, log_level="WARNING")
    resumed.train()

    expected = straight.model.state_dict()
    assert all(torch.equal(one, expected[key]) for key, one in resumed.model.state_dict().items())
    assert "the data of this epoch may not go on exactly: OwnLoader" in caplog.text


def test_a_checkpoint_of_version_1_goes_on_with_the_losses_that_it_went_on_with_then(
    tmp_path: Path,
) -> None:
    folder = Path(__file__).parents[1] / "version_1"
    then = json.loads((folder / "continued.json").read_text())
    shutil.copytree(folder, tmp_path / "work")

    now = rest_of(tmp_path / "work" / "iter_14.pth", tmp_path / "work")

    assert now.keys() == then.keys()
    # A bias before a batch norm has rounding alone for a gradient, which differs by machine.
    for free in ("net.0.bias", "net.1.running_mean"):
        del now["weights"][free], then["weights"][free]
    for name, values in then.items():
        assert now[name] == pytest.approx(values, rel=1e-3, abs=1e-5), name


def test_a_saved_gradient_of_a_parameter_that_the_model_has_not_is_named(tmp_path: Path) -> None:
    class Stop(Hook):
        def after_train_iter(self, runner: Any, batch_idx: int, **rest: Any) -> None:
            runner.stop_requests.request(75)

    wrapper = {"optimizer": {"type": "SGD", "lr": 0.1}, "accumulative_counts": 4}
    with pytest.raises(SystemExit):
        toy_run(tmp_path, optim_wrapper=wrapper, custom_hooks=[Stop()], **NOT_VALIDATING).train()
    file = tmp_path / "iter_1.pth"
    checkpoint = torch.load(file, weights_only=True)
    gradients = checkpoint["ranks"][0]["gradients"]
    gradients["net.other"] = gradients.pop("net.bias")
    torch.save(checkpoint, file)

    with pytest.raises(ValueError, match=r"for 'net\.other', and this model has no such parameter"):
        toy_run(tmp_path, optim_wrapper=wrapper, resume=str(file), **NOT_VALIDATING).train()
