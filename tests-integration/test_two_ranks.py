"""Two ranks give the numbers of one, and a rank that fails ends them all and is named first."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo  # data parallel imports it: once here, and not in each forked rank
import toy_training
from run_comparison import StopAfter, differences, last_checkpoint
from torch import nn
from torch.utils.data import DataLoader

from tk_dist import RankFailedError, get_rank, launch
from tk_evaluator import MetricError
from tk_runner import Stopped

ROUNDING = 1e-6  # float32: sums are made in another order


class Plain(toy_training.Classifier):
    """Without dropout, whose draws depend on the shape of a batch."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))


class Breaks(toy_training.MeanScore):
    """Raises on rank 1, at its second batch."""

    def process(self, data_batch: Any, data_samples: Any) -> None:
        if get_rank() == 1 and self.results:
            raise ValueError("this metric is broken")
        super().process(data_batch, data_samples)


def evaluated(work_dir: Path, dataloader: Any) -> dict[str, float]:
    with toy_training.runner(
        work_dir,
        model=Plain(),
        custom_hooks=None,
        test_dataloader=dataloader,
        test_evaluator=toy_training.MeanScore(),
    ) as run:
        return run.test()


def odd_loader() -> DataLoader:
    return DataLoader(toy_training.Points(size=13), batch_size=3)


def odd_config() -> dict[str, Any]:
    return {"dataset": toy_training.Points(size=13), "batch_size": 3, "collate_fn": stacked}


def stacked(samples: list[Any]) -> list[torch.Tensor]:
    points, labels = zip(*samples, strict=True)
    return [torch.stack(points), torch.tensor(labels)]


@pytest.mark.parametrize("loader", [odd_loader, odd_config], ids=["loader", "config"])
@pytest.mark.parametrize("num_ranks", [2, 3])
def test_more_ranks_give_the_metric_of_one_on_data_that_does_not_divide(
    loader: Any, num_ranks: int, tmp_path: Path
) -> None:
    alone = evaluated(tmp_path / "one", loader())

    by_rank = launch(lambda: evaluated(tmp_path / "many", loader()), num_ranks, timeout_s=60)

    # The order of samples is part of the metric; float32 rounds by the size of a batch.
    assert by_rank == [pytest.approx(alone, rel=ROUNDING)] * num_ranks
    assert alone["toy/count"] == 13


def trained(work_dir: Path, batch_size: int) -> tuple[dict[str, float], list[torch.Tensor]]:
    with toy_training.runner(
        work_dir,
        model=Plain(),
        train_dataloader=toy_training.loader(is_shuffled=True, batch_size=batch_size),
    ) as run:
        run.train()
        weights = [parameter.detach().clone() for parameter in run.model.parameters()]
        return run.val(), weights


def test_training_on_two_ranks_gives_the_weights_and_metric_of_one(tmp_path: Path) -> None:
    one, weights = trained(tmp_path / "one", batch_size=8)

    (first, first_weights), (second, second_weights) = launch(
        trained, 2, tmp_path / "two", 4, timeout_s=60
    )

    assert first == second
    for mine, other in zip(first_weights, second_weights, strict=True):
        assert torch.equal(mine, other)
    for mine, other in zip(weights, first_weights, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=ROUNDING)
    assert first["toy/accuracy"] == one["toy/accuracy"]
    assert first["toy/count"] == one["toy/count"] == 64


def stopped_at(stop: int, work_dir: Path, **settings: Any) -> int:
    torch.manual_seed(1)
    with toy_training.runner(work_dir, train_dataloader=random_loader(), **settings) as run:
        run.register_hook(StopAfter(stop))
        with pytest.raises(Stopped):
            run.train()
        return run.iter


def to_the_end(work_dir: Path, seed: int = 1, **settings: Any) -> dict[str, Any]:
    torch.manual_seed(seed)
    with toy_training.runner(work_dir, train_dataloader=random_loader(), **settings) as run:
        run.train()
        return last_checkpoint(run)


def random_loader() -> DataLoader:
    return toy_training.loader(is_random=True, is_shuffled=True, batch_size=4)


@pytest.mark.parametrize("by_epoch", [True, False], ids=["epochs", "iterations"])
def test_two_ranks_stopped_and_resumed_are_the_two_that_were_not(
    by_epoch: bool, tmp_path: Path
) -> None:
    def on_two_ranks(work: Any, folder: Path, *args: Any, **settings: Any) -> list[Any]:
        run = partial(work, *args, folder, by_epoch=by_epoch, **settings)
        return launch(run, 2, timeout_s=60)

    whole, _ = on_two_ranks(to_the_end, tmp_path / "whole")

    for stop in (2, 7, 13):
        folder = tmp_path / f"stop_{stop}"
        places = on_two_ranks(stopped_at, folder, stop)
        resumed, _ = on_two_ranks(to_the_end, folder, seed=999, resume=True)

        assert differences(whole, resumed) == [], f"stopped after {stop}"
        assert len(set(places)) == 1, "the ranks stopped at different iterations"
        assert 0 <= places[0] - stop <= 1  # ranks learn of the request with the next step


class Numbered(toy_training.Points):
    """Gives each sample's number for its label."""

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return self.points[index], index


class TakesNumbers(Plain):
    def forward(self, points: torch.Tensor, labels: torch.Tensor, mode: str = "tensor") -> Any:
        self.numbers += labels.tolist()
        return super().forward(points, labels % 2, mode)

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []


def numbers_seen(work_dir: Path, batch_size: int, stop: int | None, resume: bool) -> list[int]:
    with toy_training.runner(
        work_dir,
        model=TakesNumbers(),
        train_dataloader=DataLoader(Numbered(), batch_size=batch_size, shuffle=True),
        train_cfg={"by_epoch": True, "max_epochs": 1, "val_interval": 9},
        val_dataloader=None,
        val_evaluator=None,
        default_hooks=None,
        custom_hooks=None,
        resume=resume,
    ) as run:
        inner = getattr(run.model, "module", run.model)
        if stop is None:
            run.train()
        else:
            run.register_hook(StopAfter(stop))
            with pytest.raises(Stopped):
                run.train()
        return inner.numbers


def test_another_number_of_ranks_goes_on_without_losing_or_repeating_a_sample(
    tmp_path: Path,
) -> None:
    before = launch(numbers_seen, 2, tmp_path, 4, 3, False, timeout_s=60)
    after = numbers_seen(tmp_path, 8, None, True)

    seen = [*before[0], *before[1], *after]
    assert sorted(seen) == list(range(64))
    assert len(before[0]) > 0
    assert len(after) > 0


def validate_with_a_broken_metric(work_dir: Path) -> None:
    with toy_training.runner(work_dir, custom_hooks=None, val_evaluator=Breaks()) as run:
        run.val()


def test_an_error_in_the_metric_of_one_rank_reaches_the_caller_at_once(tmp_path: Path) -> None:
    begin = time.monotonic()
    with pytest.raises(RankFailedError, match="this metric is broken") as failed:
        launch(validate_with_a_broken_metric, 2, tmp_path, timeout_s=60)

    assert time.monotonic() - begin < 10
    assert str(failed.value).startswith("rank 1")
    assert isinstance(failed.value.__cause__, MetricError)


@pytest.mark.slow
def test_under_torchrun_the_failing_rank_ends_the_run_with_its_traceback_on_top(
    tmp_path: Path,
) -> None:
    script = tmp_path / "validate.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import sys, time
            sys.path.insert(0, {str(Path(__file__).parent)!r})
            from pathlib import Path
            import toy_training, test_two_ranks
            with toy_training.runner(
                Path({str(tmp_path / "work")!r}), custom_hooks=None,
                val_evaluator=test_two_ranks.Breaks(), launcher="pytorch",
            ) as run:
                Path({str(tmp_path)!r}, f"began_{{run.rank}}").write_text(str(time.time()))
                run.val()
            """
        )
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(
        [*command, str(script)], env=env, capture_output=True, text=True, timeout=120, check=False
    )
    took_s = time.time() - max(float(path.read_text()) for path in tmp_path.glob("began_*"))

    assert ended.returncode != 0
    first = ended.stderr[ended.stderr.index("Traceback") :]
    assert "this metric is broken" in first[: first.index("Error: ") + 400]
    assert took_s < 10
