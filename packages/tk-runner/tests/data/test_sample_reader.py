from __future__ import annotations

import pickle

import pytest
import torch
from counted_samples import CountedSamples, UndeclaredSamples
from torch.utils.data import Subset

from tk_runner.data.sample_reader import Request, SampleReader


def request(*indices: int, epoch: int = 0, number: int = 0) -> Request:
    return Request(seed=1, epoch=epoch, rank=0, number=number, indices=list(indices))


def test_a_sample_depends_on_seed_epoch_and_index_alone() -> None:
    reader = SampleReader(CountedSamples(9), "sample")
    together = reader.__getitems__(request(3, 4, 5))

    assert torch.equal(reader.__getitems__(request(4, number=7))[0], together[1])
    assert torch.equal(reader[request(0)._replace(indices=5)], together[2])
    assert not torch.equal(reader.__getitems__(request(4, epoch=1))[0], together[1])


def test_in_the_main_process_the_generators_stay() -> None:
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    SampleReader(CountedSamples(9), "sample").__getitems__(request(1, 2))

    assert torch.equal(torch.rand(1), expected)


def test_a_dataset_that_reads_batches_is_asked_for_them() -> None:
    class Batches(UndeclaredSamples):
        def __getitems__(self, indices: list[int]) -> list[str]:
            return [f"batch {indices}"]

    assert SampleReader(Batches(3), "batch").__getitems__(request(0, 1)) == ["batch [0, 1]"]
    subset = SampleReader(Subset(UndeclaredSamples(3), [2, 1]), "batch")
    assert [int(sample[0]) for sample in subset.__getitems__(request(0, 1))] == [2, 1]


def test_attributes_of_the_dataset_can_be_read() -> None:
    reader = SampleReader(CountedSamples(9), "none")

    assert reader.size == 9
    assert pickle.loads(pickle.dumps(SampleReader(range(3), "none"))).dataset == range(3)
    with pytest.raises(AttributeError, match="no_such"):
        reader.no_such


def test_an_error_is_the_same_object_with_the_sample_named() -> None:
    with pytest.raises(IndexError) as caught:
        SampleReader([1], "none").__getitems__(request(0, 5))  # type: ignore[arg-type]

    text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    assert "list index out of range" in text
    assert "while reading sample 5 of list" in text
