from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

from tk_runner.data import StatefulDataLoader, WorkerError, WrappedLoader
from tk_runner.data.worker_messages import SendableCollate


class Made(Dataset[Any]):
    """Samples made by a function."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        self.make = make

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        return self.make(index)


def loader(make: Callable[[int], Any], **options: Any) -> StatefulDataLoader:
    return StatefulDataLoader(Made(make), 2, seed=1, num_workers=1, collate_fn=list, **options)


def test_a_sample_that_cannot_be_pickled_is_an_error_that_names_it() -> None:
    with pytest.raises(WorkerError, match=r"cannot be sent.*cannot be pickled.*lock") as it:
        list(loader(lambda index: threading.Lock() if index == 3 else index))
    assert "[2, 3]" in str(getattr(it.value, "__notes__", it.value.args))


def test_an_error_that_cannot_be_pickled_arrives_with_its_text_and_sample() -> None:
    class LocalError(Exception):
        pass

    def fail(index: int) -> Any:
        raise LocalError("no such picture")

    with pytest.raises(WorkerError, match=r"LocalError: no such picture") as caught:
        list(loader(fail))
    assert "sample 0 of Made" in str(caught.value)


def test_an_error_of_the_collate_function_that_cannot_be_pickled_arrives_too() -> None:
    class LocalError(Exception):
        pass

    def fail(samples: list[Any]) -> Any:
        raise LocalError("sizes differ")

    batches = StatefulDataLoader(Made(int), 2, seed=1, num_workers=1, collate_fn=fail)
    with pytest.raises(WorkerError, match="LocalError: sizes differ"):
        list(batches)


class Stream(IterableDataset[Any]):
    def __iter__(self) -> Iterator[Any]:
        return iter([1, threading.Lock()])


def test_a_wrapped_loader_of_torch_is_guarded_too() -> None:
    wrapped = WrappedLoader(DataLoader(Stream(), num_workers=1, collate_fn=list))

    with pytest.raises(WorkerError, match="cannot be pickled"):
        list(wrapped)
    assert wrapped.collate_fn is list
    assert WrappedLoader(wrapped.loader).loader.collate_fn.collate is list  # guarded once


def test_batches_of_every_kind_arrive_as_they_were_sent() -> None:
    def make(index: int) -> Any:
        return {"t": torch.full((2,), index), "a": np.arange(index), "s": "x" * index}

    batches = list(loader(make))

    assert [sample["t"].tolist() for sample in batches[1]] == [[2, 2], [3, 3]]
    assert [sample["a"].tolist() for sample in batches[1]] == [[0, 1], [0, 1, 2]]
    assert [sample["s"] for sample in batches[1]] == ["xx", "xxx"]


def test_in_this_process_a_batch_is_handed_over_as_it_is() -> None:
    batch = object()

    assert SendableCollate(lambda samples: batch)([]) is batch
