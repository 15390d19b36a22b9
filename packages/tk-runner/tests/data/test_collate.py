from __future__ import annotations

from collections import UserDict, namedtuple

import numpy as np
import pytest
import torch

from tk_registry import FUNCTIONS
from tk_runner.data import COLLATE_FUNCTIONS, CollateError, default_collate, pseudo_collate
from tk_runner.structures import BaseDataElement, InstanceData

Pair = namedtuple("Pair", "a b")


def test_leaves_become_lists_over_the_batch() -> None:
    element = BaseDataElement()
    batch = pseudo_collate(
        [
            {"x": torch.ones(1), "y": (1, [2, None]), "s": "a", "e": element, "b": b"1"},
            {"x": torch.zeros(1), "y": (3, [4, None]), "s": "b", "e": element, "b": b"2"},
        ]
    )

    assert [x.item() for x in batch["x"]] == [1, 0]
    assert batch["y"] == [[1, 3], [[2, 4], [None, None]]]
    assert (batch["s"], batch["b"]) == (["a", "b"], [b"1", b"2"])
    assert batch["e"] == [element, element]


@pytest.mark.parametrize("leaf", [1, 1.5, None, "a", b"a", object(), np.ones(2), InstanceData()])
def test_a_leaf_stays_what_it_is(leaf: object) -> None:
    batch = pseudo_collate([leaf, leaf])

    assert type(batch) is list
    assert batch[0] is batch[1] is leaf


def test_types_are_kept_where_they_can_be() -> None:
    batch = pseudo_collate([UserDict(p=Pair(1, 2)), UserDict(p=Pair(3, 4))])

    assert type(batch) is UserDict
    assert batch["p"] == Pair([1, 3], [2, 4])


def test_default_collate_stacks_tensors_numbers_and_arrays() -> None:
    batch = default_collate(
        [{"x": torch.ones(2), "n": 1, "f": 1.5, "a": np.ones(1), "p": (1, 2)}] * 2
    )

    assert batch["x"].shape == (2, 2)
    assert torch.equal(batch["n"], torch.tensor([1, 1]))
    assert batch["f"].dtype == torch.float64
    assert batch["a"].shape == (2, 1)
    assert [part.tolist() for part in batch["p"]] == [[1, 1], [2, 2]]


def test_default_collate_leaves_elements_and_texts_in_lists() -> None:
    element = InstanceData(a=[1])
    batch = default_collate([[element, "a", b"b"]] * 2)

    assert batch == [[element, element], ["a", "a"], [b"b", b"b"]]


@pytest.mark.parametrize("collate", [pseudo_collate, default_collate])
def test_what_does_not_fit_is_named(collate) -> None:
    with pytest.raises(RuntimeError, match=r"sequences at x have lengths \[1, 2\]"):
        collate([{"x": [1]}, {"x": [1, 2]}])
    with pytest.raises(LookupError, match=r"sample 1 of the batch has no 'b'"):
        collate([{"a": 1, "b": 1}, {"a": 1}])
    with pytest.raises(LookupError, match="a batch of no samples"):
        collate([])
    assert collate([{"a": "x"}, {"a": "y", "late": 1}]) == {"a": ["x", "y"]}


def test_both_are_registered() -> None:
    assert COLLATE_FUNCTIONS is FUNCTIONS
    assert FUNCTIONS.get("pseudo_collate") is pseudo_collate
    assert FUNCTIONS.get("default_collate") is default_collate
    assert issubclass(CollateError, LookupError)
