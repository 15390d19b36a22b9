from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
import torch

from tk_runner.data.record_store import RecordStore, chosen_positions

RECORDS = [{"a": 1}, [1, 2], "text", None, {"nested": {"t": (1, 2)}}]


def test_what_is_packed_reads_back() -> None:
    store = RecordStore.pack(iter(RECORDS))

    assert list(store) == RECORDS
    assert [store[i] for i in range(-5, 0)] == RECORDS
    assert store.data.dtype == torch.uint8


def test_every_reading_is_a_fresh_copy() -> None:
    store = RecordStore.pack([[1]])
    store[0].append(2)

    assert store[0] == [1]


@pytest.mark.parametrize("index", [5, -6])
def test_outside_is_an_index_error(index: int) -> None:
    with pytest.raises(IndexError, match=f"record {index} of 5"):
        RecordStore.pack(RECORDS)[index]


def test_a_selection_has_its_own_bytes() -> None:
    store = RecordStore.pack(RECORDS)
    part = store.select([4, 0])

    assert list(part) == [RECORDS[4], RECORDS[0]]
    assert part.data.data_ptr() != store.data.data_ptr()


def test_nothing_packed_is_empty() -> None:
    store = RecordStore.pack([])

    assert len(store) == 0
    assert list(store.select([])) == []
    assert len(pickle.loads(pickle.dumps(store))) == 0


def test_pickling_keeps_the_records() -> None:
    assert list(pickle.loads(pickle.dumps(RecordStore.pack(RECORDS)))) == RECORDS


def test_a_spawned_process_gets_the_bytes_through_shared_memory() -> None:
    code = (
        "from multiprocessing.reduction import ForkingPickler\n"
        "import torch\n"  # registers how tensors travel
        "from tk_runner.data.record_store import RecordStore, chosen_positions\n"
        "store = RecordStore.pack([b'x' * 100_000])\n"
        "message = ForkingPickler.dumps(store)\n"
        "print(len(message) < 2000, store.data.is_shared(), store[0] == b'x' * 100_000)\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout

    assert shown == "True True True\n"


@pytest.mark.parametrize(
    ("indices", "expected"), [(2, [0, 1]), (-2, [1, 2]), (9, [0, 1, 2]), ([-1, 0], [2, 0])]
)
def test_positions_are_never_negative(indices: object, expected: list[int]) -> None:
    assert list(chosen_positions(indices, 3)) == expected


def test_positions_are_integers() -> None:
    with pytest.raises(TypeError, match="integer"):
        chosen_positions([1.5], 3)
