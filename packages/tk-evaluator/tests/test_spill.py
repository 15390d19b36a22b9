from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from evaluator_toys import Listing

from tk_evaluator import BaseMetric, Evaluator, SettingsError
from tk_evaluator.spill import SpilledResults, SpillFile


def test_entries_read_back_by_number_across_several_writes() -> None:
    file = SpillFile()
    file.extend(["a", {"b": 1}])
    file.extend([])
    file.extend([None])

    assert len(file) == 3
    assert [file.read(number) for number in (2, 0, 1)] == [None, "a", {"b": 1}]
    assert file.read_range(1, 9) == [{"b": 1}, None]


def test_a_view_is_a_sequence_in_its_own_order() -> None:
    file = SpillFile()
    file.extend("abcd")
    view = SpilledResults(file, np.array([3, 1, 0]))

    assert list(view) == ["d", "b", "a"]
    assert (len(view), view[-1], list(view[1:]), "b" in view) == (3, "a", ["b", "a"], True)


def test_the_file_has_no_name_and_is_in_the_folder_given(tmp_path: Path) -> None:
    file = SpillFile(os.fspath(tmp_path))
    file.extend([1])

    assert not list(tmp_path.iterdir())


def test_a_spilled_evaluation_gives_the_same_results() -> None:
    plain, spilled = Evaluator(Listing()), Evaluator(Listing(), spill_after=3)
    for evaluator in (plain, spilled):
        for start in (6, 0, 3):
            evaluator.process(list(range(start, start + 3)), indices=range(start, start + 3))

    assert spilled.evaluate(9) == plain.evaluate(9)


class Arrays(BaseMetric):
    default_prefix = "arrays"

    def process(self, data_batch: object, data_samples: object) -> None:
        self.results += [np.zeros(10_000) for _ in range(4)]  # 80 kB an entry

    def compute_metrics(self, results: list[np.ndarray]) -> dict[str, float]:
        return {"sum": sum(float(entry.sum()) for entry in results), "count": len(results)}


def test_memory_stays_bounded_while_collecting_and_computing() -> None:
    evaluator = Evaluator(Arrays(), spill_after=8)
    tracemalloc.start()
    for start in range(0, 200, 4):
        evaluator.process(None, indices=range(start, start + 4))
    found = evaluator.evaluate(200)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert found["arrays/count"] == 200
    assert peak < 4_000_000  # all entries together are 16 MB


def test_spilling_after_no_entry_is_refused() -> None:
    with pytest.raises(SettingsError, match="a whole number of 1 or more"):
        Evaluator(Listing(), spill_after=0)
