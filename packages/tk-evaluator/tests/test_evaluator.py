from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import torch
from evaluator_toys import Failing, Listing

from tk_evaluator import (
    Accuracy,
    BaseMetric,
    DumpResults,
    Evaluator,
    LengthMismatchError,
    MeanLoss,
    NotAMetricError,
    ResultNameError,
    SettingsError,
)
from tk_registry import EVALUATOR, METRICS, UnknownNameError


class Seen(BaseMetric):
    """Notes what it is given."""

    default_prefix = "seen"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.calls: list[tuple[Any, Any]] = []

    def process(self, data_batch: Any, data_samples: Any) -> None:
        self.calls.append((data_batch, data_samples))
        self.results.append(0)

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        return {"calls": len(results)}


class Element:
    """A data container."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def to_dict(self) -> dict[str, Any]:
        return self.fields


@pytest.mark.parametrize(
    "metrics",
    [
        Listing(),
        [Listing()],
        (Listing(),),
        {"type": Listing},
        [{"type": "tests.Listing"}],
    ],
    ids=["metric", "list", "tuple", "settings by class", "settings by name"],
)
def test_metrics_come_as_objects_or_settings(metrics: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS.module_dict, "Listing", Listing)
    if isinstance(metrics, list) and isinstance(metrics[0], dict):
        metrics = [{"type": "Listing"}]

    assert [type(metric) for metric in Evaluator(metrics).metrics] == [Listing]


def test_an_evaluator_is_built_from_settings() -> None:
    built = EVALUATOR.build({"type": "Evaluator", "metrics": {"type": "Accuracy", "top_k": (1, 5)}})

    assert isinstance(built, Evaluator)
    assert built.metrics[0].top_k == (1, 5)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "entry", [None, 3, object(), torch.nn.Linear(1, 1)], ids=lambda entry: type(entry).__name__
)
def test_what_is_no_metric_is_refused(entry: Any) -> None:
    with pytest.raises(NotAMetricError, match=r"BaseMetric, or wrap .* in TorchMetric"):
        Evaluator([entry])


def test_an_unknown_metric_gets_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'Accuracy'"):
        Evaluator({"type": "Acuracy"})


def test_facts_about_the_data_set_reach_every_metric() -> None:
    evaluator = Evaluator([Listing(), Seen()])
    evaluator.dataset_meta = {"classes": ["a"]}

    assert evaluator.dataset_meta == {"classes": ["a"]}
    assert [metric.dataset_meta for metric in evaluator.metrics] == [{"classes": ["a"]}] * 2


def test_every_metric_gets_the_batch_and_the_samples() -> None:
    metric = Seen()
    Evaluator([Listing(), metric]).process([1], {"inputs": 2})

    assert metric.calls == [({"inputs": 2}, [1])]


def test_data_containers_become_dicts_and_other_samples_pass() -> None:
    metric = Seen()
    Evaluator(metric).process([Element(a=1), {"b": 2}, 3])

    assert metric.calls == [(None, [{"a": 1}, {"b": 2}, 3])]


class Output(NamedTuple):
    scores: torch.Tensor
    loss: float


@pytest.mark.parametrize(
    "samples",
    [torch.ones(3), (torch.ones(3), 0.5), Output(torch.ones(3), 0.5), {"pred": 1}, [{"a": 1}]],
    ids=["tensor", "tuple", "named tuple", "mapping", "dicts"],
)
def test_what_holds_no_container_reaches_metrics_as_the_same_object(samples: Any) -> None:
    metric = Seen()
    Evaluator(metric).process(samples)

    assert metric.calls[0][1] is samples


@pytest.mark.parametrize("samples", [[{"pred": 1}], [Element(a=1)]], ids=["dict", "container"])
def test_one_prediction_for_a_batch_of_four_is_an_error(samples: list[Any]) -> None:
    with pytest.raises(LengthMismatchError, match="1 predictions for a batch of 4 samples"):
        Evaluator(Seen()).process(samples, indices=[0, 1, 2, 3])


def test_columns_of_a_whole_batch_are_not_counted_as_predictions() -> None:
    metric = Seen()
    columns = (torch.ones(4, 2), torch.ones(4))
    Evaluator(metric).process(columns, indices=[0, 1, 2, 3])

    assert metric.calls[0][1] is columns


def test_indices_may_be_a_tensor() -> None:
    evaluator = Evaluator(Listing())
    evaluator.process(["b", "a"], indices=torch.tensor([1, 0]))  # type: ignore[arg-type]

    assert evaluator.evaluate(2)["listing/entries"] == ["a", "b"]


def test_indices_changed_afterwards_do_no_harm() -> None:
    evaluator, indices = Evaluator(Listing()), [1, 0]
    evaluator.process(["b", "a"], indices=indices)
    indices.clear()

    assert evaluator.evaluate(2)["listing/entries"] == ["a", "b"]


def test_results_of_all_metrics_are_merged() -> None:
    evaluator = Evaluator([Listing(), Seen(), Listing(prefix="again")])
    evaluator.process(["x"])

    assert evaluator.evaluate(1) == {
        "listing/entries": ["x"],
        "listing/count": 1,
        "seen/calls": 1,
        "again/entries": ["x"],
        "again/count": 1,
    }


def test_one_prefix_with_different_names_is_fine() -> None:
    evaluator = Evaluator([Listing(prefix="p"), Seen(prefix="p")])
    evaluator.process(["x"])

    assert set(evaluator.evaluate(1)) == {"p/entries", "p/count", "p/calls"}


def test_two_metrics_with_one_result_name_are_an_error_that_names_both() -> None:
    class Other(Listing): ...

    evaluator = Evaluator([Listing(), Other()])
    evaluator.process(["x"])

    with pytest.raises(
        ResultNameError,
        match=r"metrics Listing and Other both give .* 'listing/count', 'listing/entries'; give",
    ):
        evaluator.evaluate(1)
    assert all(metric.results == [] for metric in evaluator.metrics)


def test_after_an_error_in_one_metric_nothing_is_left_in_the_others() -> None:
    evaluator = Evaluator([Failing(ValueError("odd")), Listing()])
    evaluator.process([1])
    with pytest.raises(ValueError, match="odd"):
        evaluator.evaluate(1)
    evaluator.metrics = [evaluator.metrics[1]]
    evaluator.process([2])

    assert evaluator.evaluate(1)["listing/entries"] == [2]


def test_after_an_error_in_processing_nothing_is_left() -> None:
    evaluator = Evaluator([Listing(), Failing(ValueError("odd"), at_sample=2)])
    evaluator.process([1])
    with pytest.raises(ValueError, match="odd"):
        evaluator.process([2])

    assert [metric.results for metric in evaluator.metrics] == [[], []]


def test_an_evaluation_does_not_see_the_one_before() -> None:
    evaluator = Evaluator(Listing())
    found = []
    for samples in (["a", "b"], ["c"]):
        evaluator.process(samples, indices=range(len(samples)))
        found.append(evaluator.evaluate(len(samples))["listing/entries"])

    assert found == [["a", "b"], ["c"]]


def test_several_data_sets_of_one_run_keep_their_results_apart() -> None:
    found: dict[str, Any] = {}
    for name, labels in {"day": [1, 1], "night": [1, 0]}.items():
        evaluator = Evaluator(Accuracy(), prefix=name)
        evaluator.process({"pred_label": [1, 1], "gt_label": labels})
        found |= evaluator.evaluate(2)

    assert found == {"day/accuracy/top1": 1.0, "night/accuracy/top1": 0.5}


# --- offline


@pytest.mark.parametrize("chunk_size", [1, 3, 4, 10, 99])
def test_offline_results_do_not_depend_on_the_chunks(chunk_size: int) -> None:
    found = Evaluator([Listing(), Seen()]).offline_evaluate(
        list(range(10)), list(range(10)), chunk_size=chunk_size
    )

    assert found["listing/entries"] == list(range(10))
    assert found["seen/calls"] == -(-10 // chunk_size)


def test_offline_data_comes_as_a_loader_would_give_it() -> None:
    metric = Seen()
    data = [{"inputs": i, "meta": {"id": str(i)}} for i in range(3)]
    Evaluator(metric).offline_evaluate([0, 1, 2], data, chunk_size=2)

    assert metric.calls == [
        ({"inputs": [0, 1], "meta": {"id": ["0", "1"]}}, [0, 1]),
        ({"inputs": [2], "meta": {"id": ["2"]}}, [2]),
    ]


def test_offline_predictions_may_be_an_iterator() -> None:
    found = Evaluator(Listing()).offline_evaluate(iter("abc"), iter([1, 2, 3]), chunk_size=2)

    assert found["listing/entries"] == ["a", "b", "c"]


def test_offline_takes_stored_predictions_in_either_order() -> None:
    evaluator = Evaluator({"type": "Accuracy", "top_k": (1, 2)})
    targets = [{"gt_label": i % 3} for i in range(6)]
    predictions = [{"pred_score": torch.eye(3)[i % 2]} for i in range(6)]

    by_hand = evaluator.offline_evaluate(predictions, targets, chunk_size=4)

    assert evaluator.offline_evaluate(targets, predictions, chunk_size=4) == by_hand
    assert by_hand["accuracy/top1"] == 1 / 3


@pytest.mark.parametrize("wrap", [list, iter], ids=["lists", "iterators"])
@pytest.mark.parametrize(("predictions", "data"), [(2, 3), (3, 2), (4, 3), (0, 1)])
def test_offline_lengths_must_agree(wrap: Any, predictions: int, data: int) -> None:
    evaluator = Evaluator(Listing())

    with pytest.raises(LengthMismatchError, match=r"predictions but .* entries of data"):
        evaluator.offline_evaluate(wrap(range(predictions)), wrap(range(data)), chunk_size=2)


@pytest.mark.parametrize("kind", [AssertionError, ValueError])
def test_unequal_lengths_are_caught_as_before(kind: type[Exception]) -> None:
    with pytest.raises(kind):
        Evaluator(Listing()).offline_evaluate([1], [1, 2])


def test_chunks_without_samples_are_refused() -> None:
    with pytest.raises(SettingsError, match="chunk_size=0"):
        Evaluator(Listing()).offline_evaluate([1], chunk_size=0)


# --- direction


def test_the_direction_of_a_result_is_known_before_any_evaluation() -> None:
    evaluator = Evaluator([Accuracy((1, 5)), MeanLoss(prefix="val_loss")], prefix="day")

    assert evaluator.rule_of("day/accuracy/top5") == "greater"
    assert evaluator.rule_of("top1") == "greater"
    assert evaluator.rule_of("day/val_loss/mean") == "less"


def test_a_direction_for_all_names_holds_for_names_not_yet_seen() -> None:
    class Errors(Listing):
        greater_is_better = False
        default_prefix = "errors"

    evaluator = Evaluator([Errors(), Listing()])

    assert evaluator.rule_of("errors/top1_error") == "less"
    assert evaluator.rule_of("listing/entries") is None
    evaluator.process([1])
    evaluator.evaluate(1)
    assert evaluator.rule_of("errors/count") == "less"


def test_a_name_that_no_metric_gives_has_no_direction() -> None:
    assert Evaluator(Accuracy()).rule_of("nothing/here") is None


def test_dumping_takes_part_like_any_metric(tmp_path: Any) -> None:
    evaluator = Evaluator([{"type": "DumpResults", "out_file_path": str(tmp_path / "a.pkl")}])

    assert isinstance(evaluator.metrics[0], DumpResults)
    assert evaluator.offline_evaluate([1, 2]) == {}
