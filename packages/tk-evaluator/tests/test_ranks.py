"""The result does not depend on the number of ranks: every promise across ranks, by example."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from evaluator_toys import BatchSums, Failing, Listing, batches, evaluate_share, round_robin
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tk_dist import RankFailedError, get_dist_info, get_rank, launch
from tk_evaluator import Accuracy, Evaluator, RegressionError

TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Case:
    size: int
    batch_size: int
    sharding: str
    seed: int
    repeats: int
    spill_after: int | None

    def shares(self, world_size: int) -> list[list[int]]:
        """The indices of each rank; ``repeats`` of them are shown by two ranks, or twice."""
        order = list(range(self.size))
        draw = random.Random(self.seed)
        if self.sharding == "shuffled":
            draw.shuffle(order)
        if self.sharding == "contiguous":
            step = -(-self.size // world_size)
            shares = [order[rank * step : (rank + 1) * step] for rank in range(world_size)]
        else:
            shares = [order[rank::world_size] for rank in range(world_size)]
        for _ in range(self.repeats):
            shares[draw.randrange(world_size)].append(draw.choice(order))
        return shares

    def run(self) -> tuple[dict[str, Any], dict[str, Any]]:
        rank, world_size = get_dist_info()
        generator = torch.Generator().manual_seed(self.seed)
        scores = torch.rand(self.size, 4, generator=generator, dtype=torch.float64)
        target = torch.randint(0, 4, (self.size,), generator=generator)
        exact = Evaluator(
            [
                Accuracy((1, 2)),
                RegressionError(pred="value", target="gt_label"),
                Listing(),
            ],
            spill_after=self.spill_after,
        )
        by_batch = Evaluator(BatchSums())
        for batch in batches(self.shares(world_size)[rank], self.batch_size):
            samples = [
                {
                    "pred_score": scores[i],
                    "pred_label": int(scores[i].argmax()),
                    "gt_label": int(target[i]),
                    "value": scores[i].sum(),
                    "index": i,
                }
                for i in batch
            ]
            exact.process(samples, indices=batch)
            if not self.repeats:
                by_batch.process(batch, indices=batch)
        sums = {} if self.repeats else by_batch.evaluate(self.size)
        return exact.evaluate(self.size), sums


CASES = st.builds(
    Case,
    size=st.integers(1, 40),
    batch_size=st.integers(1, 9),
    sharding=st.sampled_from(["round robin", "contiguous", "shuffled"]),
    seed=st.integers(0, 2**16),
    repeats=st.integers(0, 4),
    spill_after=st.sampled_from([None, None, 3]),
)


def run_all(cases: list[Case]) -> list[Any]:
    return [case.run() for case in cases]


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases=st.lists(CASES, min_size=6, max_size=10))
def test_one_to_four_ranks_give_equal_results(cases: list[Case]) -> None:
    alone = run_all(cases)

    for world_size in (2, 3, 4):
        for got in launch(run_all, world_size, cases, timeout_s=TIMEOUT_S):
            assert got == alone


def every_size_and_batch() -> list[dict[str, Any]]:
    return [
        evaluate_share(Evaluator(Listing()), round_robin(size), 1 + size % 9, size)
        for size in range(1, 41)
    ]


@pytest.mark.parametrize("world_size", [2, 3, 4])
def test_every_size_comes_back_whole_and_in_order(world_size: int) -> None:
    expected = [
        {"listing/entries": [10 * index for index in range(size)], "listing/count": size}
        for size in range(1, 41)
    ]

    assert launch(every_size_and_batch, world_size, timeout_s=TIMEOUT_S) == [expected] * world_size


def padded_without_indices() -> Any:
    """Seven samples on two ranks, as a sampler of torch pads them: rank 1 repeats sample 0."""
    evaluator = Evaluator([Listing(), BatchSums()])
    for batch in batches([0, 2, 4, 6] if get_rank() == 0 else [1, 3, 5, 0], 2):
        evaluator.process(batch)
    return evaluator.evaluate(7)


def test_padding_is_cut_where_samples_carry_no_index() -> None:
    got = launch(padded_without_indices, 2, timeout_s=TIMEOUT_S)[0]

    assert got["listing/entries"] == [0, 1, 2, 3, 4, 5, 6]
    assert got["sums/total"] == 21  # per batch: nothing can be cut, and the total shows it


def by_hand_of_the_metric() -> Any:
    metric = Listing()
    metric.process(None, [0, 2] if get_rank() == 0 else [1, 0])
    padded = metric.evaluate(3)
    metric.process(None, [1, 2, 3, 4])
    return padded, metric.evaluate(2)


def test_a_metric_fed_directly_loses_only_what_padding_explains() -> None:
    padded, several_a_sample = launch(by_hand_of_the_metric, 2, timeout_s=TIMEOUT_S)[1]

    assert padded["listing/entries"] == [0, 1, 2]
    assert several_a_sample["listing/entries"] == [1, 1, 2, 2, 3, 3, 4, 4]


def failing_on_rank_0() -> tuple[str, str, list[Any]]:
    evaluator = Evaluator([Listing(), Failing(ZeroDivisionError("no samples of class 3"))])
    evaluator.process([1, 2], indices=[2 * get_rank(), 2 * get_rank() + 1])
    try:
        evaluator.evaluate(4)
    except ZeroDivisionError as error:
        left = [entry for metric in evaluator.metrics for entry in metric.results]
        again = evaluate_share(Evaluator(Listing()), round_robin(3), 2, 3)
        return type(error).__name__, str(error), [*left, again["listing/count"]]
    raise AssertionError("nothing was raised")


def test_an_error_in_computing_reaches_every_rank_and_clears_results() -> None:
    outcomes = launch(failing_on_rank_0, 3, timeout_s=TIMEOUT_S)

    for kind, text, left in outcomes:
        assert kind == "MetricError"
        assert "the metric Failing failed over 6 results" in text
        assert "no samples of class 3" in text
        assert left == [3]
    assert "This happened on rank 0" in outcomes[1][1]
    assert "compute_metrics" in outcomes[2][1]  # rank 0's traceback


def failing_in_processing() -> None:
    evaluator = Evaluator(Failing(ValueError("bad box"), at_sample=7))
    evaluator.process([5, 7, 9], indices=[4, 5, 6])


def test_an_error_in_processing_names_metric_and_sample_and_ends_all_ranks() -> None:
    with pytest.raises(RankFailedError, match=r"metric Failing failed at sample 5"):
        launch(failing_in_processing, 2, timeout_s=TIMEOUT_S)


def unpicklable_on_rank_1() -> str:
    evaluator = Evaluator(Listing())
    evaluator.process([1 if get_rank() == 0 else (lambda: 1)], indices=[get_rank()])
    try:
        evaluator.evaluate(2)
    except Exception as error:
        return str(error)
    return ""


def test_entries_that_cannot_travel_are_an_error_on_all_ranks() -> None:
    texts = launch(unpicklable_on_rank_1, 2, timeout_s=TIMEOUT_S)

    assert all("pickle" in text for text in texts)


def more_ranks_than_samples() -> Any:
    return evaluate_share(Evaluator([Listing(), BatchSums()]), round_robin(2), 4, 2)


def test_ranks_without_samples_have_no_say(caplog: pytest.LogCaptureFixture) -> None:
    expected = {
        "listing/entries": [0, 10],
        "listing/count": 2,
        "sums/mean": 5.0,
        "sums/total": 10,
    }

    assert launch(more_ranks_than_samples, 4, timeout_s=TIMEOUT_S) == [expected] * 4
    assert not caplog.records


def offline_everywhere() -> Any:
    return Evaluator(Listing()).offline_evaluate([5, 6, 7], chunk_size=2)


def test_offline_evaluation_on_every_rank_counts_each_sample_once() -> None:
    got = launch(offline_everywhere, 3, timeout_s=TIMEOUT_S)

    assert got == [{"listing/entries": [5, 6, 7], "listing/count": 3}] * 3


def full_disk_on_rank_0() -> str:
    from tk_evaluator import spill

    def full(file: Any, entries: Any) -> None:
        raise OSError(28, "No space left on device")

    evaluator = Evaluator(Listing(), spill_after=2)
    evaluator.process([1, 2, 3], indices=[3 * get_rank() + i for i in range(3)])
    if get_rank() == 0:
        spill.SpillFile.extend = full  # type: ignore[method-assign]  # this process ends soon
    try:
        evaluator.evaluate(6)
    except Exception as error:
        return str(error)
    return ""


def test_a_full_disk_on_one_rank_is_told_on_all() -> None:
    texts = launch(full_disk_on_rank_0, 2, timeout_s=TIMEOUT_S)

    assert all("No space left" in text for text in texts)


def through_a_folder(folder: str) -> Any:
    evaluator = Evaluator(Listing(collect_dir=folder))
    return evaluate_share(evaluator, round_robin(5), 2, 5)


def test_results_travel_through_a_folder_where_one_is_named(tmp_path: Any) -> None:
    got = launch(through_a_folder, 2, str(tmp_path), timeout_s=TIMEOUT_S)

    assert got[1]["listing/entries"] == [0, 10, 20, 30, 40]
    assert not list(tmp_path.iterdir())
