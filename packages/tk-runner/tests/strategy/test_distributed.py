from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset
from toy_run import NOT_VALIDATING, Toy, toy_arguments, toy_run

from tk_dist import get_rank, launch
from tk_runner import InvalidSettingsError, Runner, read_checkpoint
from tk_runner.strategy import DDPStrategy


def _train(folder: str, epochs: int = 2) -> tuple[torch.Tensor, int]:
    torch.set_num_threads(1)
    with toy_run(Path(folder), train_cfg={"max_epochs": epochs}) as runner:
        runner.train()
        return runner.strategy.unwrap(runner.model).net.weight.detach().clone(), runner.iter


def test_ranks_train_one_model_on_their_shares(tmp_path: Path) -> None:
    (first, iterations), (second, _) = launch(_train, 2, str(tmp_path))

    assert torch.equal(first, second)
    assert iterations == 6  # 24 rows, 4 in a batch, 2 ranks, 2 epochs


def _metric(folder: str) -> dict[str, float]:
    with toy_run(Path(folder), train_dataloader=None, train_cfg=None, optim_wrapper=None) as runner:
        return runner.val()


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_find_the_metric_of_one_process(tmp_path: Path, ranks: int) -> None:
    alone = _metric(str(tmp_path / "alone"))

    assert launch(_metric, ranks, str(tmp_path / "many")) == [alone] * ranks


class Counting(Toy):
    """Keeps a number beside its weights, as quantised modules do."""

    calls = 0

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return super().forward(*args, **kwargs)

    def get_extra_state(self) -> dict[str, int]:
        return {"calls": self.calls}

    def set_extra_state(self, state: dict[str, int]) -> None:
        self.calls = state["calls"]


def _train_counting(folder: str, **more: Any) -> int:
    changes = {"val_dataloader": None, "val_evaluator": None, **more}
    with toy_run(Path(folder), model=Counting(), train_cfg={"max_epochs": 1}, **changes) as runner:
        runner.train()
        return int(runner.strategy.unwrap(runner.model).calls)


def test_extra_states_that_are_no_tensors_are_trained_and_resumed(tmp_path: Path) -> None:
    assert _train_counting(str(tmp_path / "alone")) == 6
    assert _train_counting(str(tmp_path / "alone"), resume=True) == 6
    assert launch(_train_counting, 2, str(tmp_path / "many")) == [3, 3]


def test_a_checkpoint_has_a_part_for_each_rank(tmp_path: Path) -> None:
    launch(_train, 2, str(tmp_path))

    checkpoint = read_checkpoint(tmp_path / "epoch_2.pth")

    assert len(checkpoint["ranks"]) == 2
    assert checkpoint["meta"]["world_size"] == 2
    assert not any(name.startswith("module.") for name in checkpoint["state_dict"])


def test_two_ranks_go_on_as_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    launch(_train, 2, str(tmp_path), 1)

    with toy_run(tmp_path, resume=True, log_level="WARNING") as runner:
        runner.train()

    assert runner.iter == 3 + 6
    assert "random states of 2 ranks and this run has 1" in caplog.text


def test_a_wrapped_model_and_a_wrapper_config_exclude_each_other() -> None:
    wrapped = nn.DataParallel(Toy())

    with pytest.raises(InvalidSettingsError, match="wrapped already"):
        DDPStrategy(model_wrapper={"find_unused_parameters": True}).place_model(wrapped)


def test_an_unknown_way_to_synchronise_batch_norms_is_refused() -> None:
    with pytest.raises(InvalidSettingsError, match="use 'torch', or None"):
        DDPStrategy(sync_bn="mmcv")


def test_each_rank_wraps_for_its_own_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tk_runner.strategy.distributed.get_local_device", lambda: torch.device("cuda", 3)
    )
    strategy = DDPStrategy()

    assert strategy.device == torch.device("cuda", 3)
    assert strategy._wrapper_arguments(nn.Linear(1, 1))["device_ids"] == [3]


def test_on_the_cpu_no_device_is_named() -> None:
    if torch.accelerator.is_available():
        pytest.skip("this machine has an accelerator")

    assert DDPStrategy()._wrapper_arguments(nn.Linear(1, 1))["device_ids"] is None


def test_one_process_takes_the_strategy_of_one_device(tmp_path: Path) -> None:
    runner = Runner(**toy_arguments(tmp_path))

    assert type(runner.strategy).__name__ == "SingleDeviceStrategy"
    assert runner.model.net.weight.device.type == runner.strategy.device.type


def _train_with_freezing(folder: str) -> list[torch.Tensor]:
    wrapper = {
        "optimizer": {"type": "SGD", "lr": 0.1},
        "paramwise_cfg": {"freeze": {"net.weight": 1}},
    }
    with toy_run(Path(folder), optim_wrapper=wrapper, **NOT_VALIDATING) as runner:
        before = runner.strategy.unwrap(runner.model).net.weight.detach().clone()
        runner.train()
        return [before, runner.strategy.unwrap(runner.model).net.weight.detach().clone()]


def test_ranks_agree_after_a_release_of_frozen_parameters(tmp_path: Path) -> None:
    first, second = launch(_train_with_freezing, 2, str(tmp_path))

    assert not torch.equal(*first)
    assert torch.equal(first[1], second[1])


def _metric_of_a_frozen_model(folder: str) -> dict[str, float]:
    torch.manual_seed(0)
    model = Toy().requires_grad_(False)
    only_validating = {"train_dataloader": None, "train_cfg": None, "optim_wrapper": None}
    with toy_run(Path(folder), model=model, **only_validating) as runner:
        return runner.val()


def test_ranks_evaluate_a_model_without_anything_to_train(tmp_path: Path) -> None:
    alone = _metric_of_a_frozen_model(str(tmp_path / "alone"))

    assert launch(_metric_of_a_frozen_model, 2, str(tmp_path / "two")) == [alone] * 2


class OwnShare(IterableDataset[Any]):
    """Gives each rank data of its own, and keeps its place."""

    world_size = 2

    def __init__(self) -> None:
        self.at = 0
        self.loaded: dict[str, int] = {}

    def __iter__(self) -> Iterator[Any]:
        while True:
            self.at += 1 + get_rank()
            yield torch.ones(3), 1

    def state_dict(self) -> dict[str, int]:
        return {"at": self.at}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.loaded = dict(state)
        self.at = state["at"]


def _train_on_own_share(folder: str, iters: int, resume: bool) -> dict[str, int]:
    data = OwnShare()
    with toy_run(
        Path(folder),
        train_dataloader=DataLoader(data, batch_size=2),
        train_cfg={"by_epoch": False, "max_iters": iters},
        default_hooks={"checkpoint": {"by_epoch": False, "interval": 2}},
        val_dataloader=None,
        val_evaluator=None,
        resume=resume,
    ) as runner:
        runner.train()
    return data.loaded


def test_each_rank_gets_the_state_of_its_own_data_back(tmp_path: Path) -> None:
    launch(_train_on_own_share, 2, str(tmp_path), 2, False)

    assert launch(_train_on_own_share, 2, str(tmp_path), 4, True) == [{"at": 4}, {"at": 8}]
