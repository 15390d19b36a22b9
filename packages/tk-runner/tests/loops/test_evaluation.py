"""What validation and test share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from doubling import Doubler, Numbers, loader, scripted, toy_runner
from torch.utils.data import DataLoader, IterableDataset

from tk_dist import get_rank, launch
from tk_evaluator import BaseMetric
from tk_runner import Hook, InvalidSettingsError
from tk_runner.data import StatefulDataLoader
from tk_runner.loops.evaluation import is_several_sets

Make = Callable[..., Any]


class Mean(BaseMetric):
    """The mean of the predictions, and how many there were."""

    default_prefix = "out"
    greater_is_better: ClassVar = {"mean": True, "count": False}

    def process(self, data_batch: Any, data_samples: Any) -> None:
        self.results += [float(sample) for sample in data_samples]

    def compute_metrics(self, results: list[float]) -> dict[str, float]:
        return {"mean": sum(results) / len(results), "count": len(results)}


def evaluate(folder: Path, size: int = 8, *, reports_loss: bool = False) -> dict[str, Any]:
    model = Doubler(reports_loss=reports_loss)
    torch.nn.init.constant_(model.weight, 3.0)
    runner = toy_runner(
        str(folder), epochs=None, model=model, val=Mean(), val_dataloader=loader(size)
    )
    with runner:
        return runner.val()


def test_a_validation_predicts_each_sample_once(tmp_path: Path) -> None:
    assert evaluate(tmp_path) == {"out/mean": pytest.approx(3 * 3.5 / 8), "out/count": 8}


def test_the_loss_on_the_validation_set_is_the_mean_over_its_samples(tmp_path: Path) -> None:
    found = evaluate(tmp_path, size=7, reports_loss=True)

    expected = sum((index / 8) ** 2 for index in range(7)) / 7
    assert found["loss"] == pytest.approx(expected, abs=1e-7)  # the model computes in float32
    assert found["val_loss"] == found["loss"]


@pytest.mark.parametrize("size", [7, 3])
def test_two_ranks_find_what_one_finds(tmp_path: Path, size: int) -> None:
    def on_a_rank() -> dict[str, Any]:
        torch.set_num_threads(1)
        return evaluate(tmp_path / f"of {get_rank()}", size=size, reports_loss=True)

    alone = evaluate(tmp_path / "alone", size=size, reports_loss=True)
    first, second = launch(on_a_rank, 2, start_method="fork", timeout_s=60)

    assert first == second
    assert first == pytest.approx(alone, abs=1e-12)


def test_losses_alone_are_reported_where_there_is_no_metric(make_run: Make) -> None:
    runner = make_run(epochs=None, model=Doubler(reports_loss=True), val=[])

    assert sorted(runner.val()) == ["loss", "val_loss"]


def test_several_sets_have_their_own_metrics_and_names(make_run: Make) -> None:
    runner = make_run(
        epochs=None,
        val={"small": Mean(), "large": scripted("acc", 0.5)},
        val_dataloader={"small": loader(2), "large": DataLoader(Numbers(6), batch_size=2)},
    )

    assert runner.val() == {"small/out/mean": 0.0, "small/out/count": 2, "large/acc": 0.5}
    assert runner.val_loop.num_batches == 4


def test_one_evaluator_serves_several_sets(make_run: Make) -> None:
    sets = {"a": loader(2), "b": loader(4)}
    runner = make_run(epochs=None, val=Mean(), val_dataloader=sets)

    found = runner.val()

    assert (found["a/out/count"], found["b/out/count"]) == (2, 4)


def test_a_set_without_an_evaluator_is_named(make_run: Make) -> None:
    runner = make_run(
        epochs=None, val={"a": Mean(), "c": Mean()}, val_dataloader={"a": loader(), "b": loader()}
    )

    with pytest.raises(InvalidSettingsError, match=r"'a', 'c'.*have none: 'b'"):
        runner.val()


def test_sets_are_told_from_the_arguments_of_one_loader() -> None:
    assert is_several_sets({"a": loader(), "b": StatefulDataLoader(Numbers(), batch_size=2)})
    assert not is_several_sets(loader())
    assert not is_several_sets({})
    assert not is_several_sets(StatefulDataLoader(Numbers()))


def test_the_loop_knows_the_rule_that_a_metric_declares(make_run: Make) -> None:
    several = make_run(
        epochs=None, val={"a": Mean(), "b": []}, val_dataloader={"a": loader(), "b": loader()}
    )
    single = make_run(epochs=None, val=Mean())

    assert single.val_loop.rule_of("out/mean") == "greater"
    assert several.val_loop.rule_of("a/out/count") == "less"
    assert several.val_loop.rule_of("b/out/count") is None


def test_the_model_is_in_evaluation_mode_and_makes_no_gradients(make_run: Make) -> None:
    seen = []

    class Looking(Doubler):
        def val_step(self, data: Any) -> Any:
            seen.append((self.training, torch.is_grad_enabled()))
            return super().val_step(data)

    runner = make_run(epochs=None, model=Looking(), val=Mean())
    runner.val()

    assert seen == [(False, False)] * 4
    assert runner.model.training


def test_fp16_predicts_under_autocast(make_run: Make) -> None:
    seen = []

    class Looking(Doubler):
        def test_step(self, data: Any) -> Any:
            seen.append(torch.is_autocast_enabled("cpu"))
            return super().test_step(data)

    runner = make_run(
        epochs=None,
        model=Looking(),
        test_dataloader=loader(),
        test_evaluator=Mean(),
        test_cfg={"fp16": True},
    )
    runner.test()

    assert seen == [True] * 4


def test_an_error_in_a_metric_leaves_the_training_mode_as_it_was(make_run: Make) -> None:
    class Broken(Mean):
        def compute_metrics(self, results: list[float]) -> dict[str, float]:
            raise ZeroDivisionError("no results")

    runner = make_run(epochs=1, val=Broken())

    with pytest.raises(ZeroDivisionError, match="no results"):
        runner.train()
    assert runner.model.training


def test_a_test_builds_nothing_of_the_training(make_run: Make) -> None:
    built = []

    class Counted(Numbers):
        def __init__(self) -> None:
            built.append(1)
            super().__init__()

    train = loader(dataset={"type": Counted})
    runner = make_run(
        epochs=1, train=train, test_dataloader=loader(), test_evaluator=Mean(), val=Mean()
    )
    runner.test()
    runner.val()

    assert built == []
    assert runner.train_loop is None


def test_outputs_reach_the_hooks_without_the_loss(make_run: Make) -> None:
    seen = []

    class Outputs(Hook):
        def after_val_iter(
            self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
        ) -> None:
            seen.append((batch_idx, len(outputs)))

    runner = make_run(epochs=None, model=Doubler(reports_loss=True), val=[], hooks=[Outputs()])
    runner.val()

    assert seen == [(0, 2), (1, 2), (2, 2), (3, 2)]


def test_a_loader_without_a_length_is_refused_with_the_way_out(make_run: Make) -> None:
    class Endless(IterableDataset[int]):
        def __iter__(self) -> Iterator[int]:
            return iter(range(3))

    runner = make_run(epochs=None, val_dataloader=DataLoader(Endless()), val_evaluator=Mean())

    with pytest.raises(InvalidSettingsError, match=r"val loader needs a length .* __len__"):
        runner.val()


class Promising(IterableDataset[Any]):
    """Numbers of this rank alone; there are others than it says."""

    world_size = 2  # each rank is given a share of its own
    announced, given = 4, (4, 13)  # samples, by rank

    def __len__(self) -> int:
        return self.announced

    def __iter__(self) -> Iterator[Any]:
        return (Numbers(16)[index] for index in range(self.given[get_rank()]))


@pytest.mark.filterwarnings("ignore:Length of IterableDataset")
def test_ranks_with_other_numbers_of_batches_than_announced_find_the_mean_loss(
    tmp_path: Path,
) -> None:
    def on_a_rank() -> dict[str, Any]:
        model = Doubler(reports_loss=True)
        torch.nn.init.constant_(model.weight, 3.0)
        data = {
            name: DataLoader(Promising(), batch_size=3) for name in ("first", "second")
        }  # ranks begin the second set at one time
        runner = toy_runner(str(tmp_path), epochs=None, model=model, val=[], val_dataloader=data)
        with runner:
            return runner.val()

    first, second = launch(on_a_rank, 2, start_method="fork", timeout_s=60)

    squares = [(index / 8) ** 2 for share in Promising.given for index in range(share)]
    expected = sum(squares) / len(squares)
    assert first == second
    assert first["first/loss"] == first["second/loss"] == pytest.approx(expected, abs=1e-6)
