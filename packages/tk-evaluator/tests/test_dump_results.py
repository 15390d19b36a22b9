from __future__ import annotations

import logging
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from evaluator_toys import round_robin

from tk_dist import launch
from tk_evaluator import DumpResults, Evaluator, SettingsError


@pytest.mark.parametrize("suffix", [".pkl", ".pickle"])
def test_predictions_are_one_pickle_in_the_order_of_the_data_set(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"out{suffix}"
    evaluator = Evaluator(DumpResults(str(path)))
    evaluator.process([{"pred": torch.tensor(2)}, {"pred": torch.tensor(0)}], indices=[2, 0])
    evaluator.process([{"pred": torch.tensor(1)}], indices=[1])

    assert evaluator.evaluate(3) == {}
    assert [int(entry["pred"]) for entry in pickle.loads(path.read_bytes())] == [0, 1, 2]


def test_a_path_object_is_fine(tmp_path: Path) -> None:
    Evaluator(DumpResults(tmp_path / "out.pkl")).offline_evaluate([1])

    assert pickle.loads((tmp_path / "out.pkl").read_bytes()) == [1]


@pytest.mark.parametrize("name", ["out.json", "out", "pkl"])
def test_another_ending_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=r"a pickle, ending in \.pkl or \.pickle"):
        DumpResults(name)


def test_it_needs_no_prefix_and_does_not_ask_for_one(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        DumpResults("out.pkl")

    assert not caplog.records


def test_predictions_that_are_one_mapping_of_columns_stay_one(tmp_path: Path) -> None:
    evaluator = Evaluator(DumpResults(tmp_path / "out.pkl"))
    evaluator.process({"pred": [1, 2]}, indices=[0, 1])
    evaluator.evaluate(2)

    assert pickle.loads((tmp_path / "out.pkl").read_bytes()) == [{"pred": [1, 2]}]


def test_an_error_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    path = tmp_path / "out.pkl"
    path.write_bytes(b"before")
    evaluator = Evaluator(DumpResults(path))

    with pytest.raises(Exception, match=r"metric DumpResults failed.*pickled"):
        evaluator.offline_evaluate([lambda: 1])
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_spilled_predictions_are_dumped_too(tmp_path: Path) -> None:
    evaluator = Evaluator(DumpResults(tmp_path / "out.pkl"), spill_after=2)
    evaluator.offline_evaluate(range(7), chunk_size=3)

    assert pickle.loads((tmp_path / "out.pkl").read_bytes()) == list(range(7))


def dump_share(path: str) -> Any:
    evaluator = Evaluator(DumpResults(path))
    for index in round_robin(5):
        evaluator.process([index], indices=[index])
    return evaluator.evaluate(5)


def test_several_ranks_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "out.pkl"
    launch(dump_share, 2, str(path), timeout_s=30.0)

    assert pickle.loads(path.read_bytes()) == [0, 1, 2, 3, 4]
