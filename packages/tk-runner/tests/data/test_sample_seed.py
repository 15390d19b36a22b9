from __future__ import annotations

import random

import numpy as np
import pytest
import torch
from counted_samples import CountedSamples, UndeclaredSamples
from torch.utils.data import ConcatDataset, Subset, TensorDataset

from tk_runner.data.sample_seed import (
    declared_random,
    index_number,
    kept_generators,
    mixed,
    seed_generators,
    seeding_for,
)


def drawn() -> tuple[float, float, float]:
    return random.random(), np.random.rand(), torch.rand(()).item()


def test_near_numbers_are_mixed_into_unrelated_ones() -> None:
    seeds = {
        mixed(seed, epoch, index) for seed in range(9) for epoch in range(9) for index in range(99)
    }

    assert len(seeds) == 9 * 9 * 99
    assert all(0 <= seed < 2**64 for seed in seeds)
    ones = [bin(mixed(0, 0, index) ^ mixed(0, 0, index + 1)).count("1") for index in range(500)]
    assert 30 < sum(ones) / len(ones) < 34  # 32 of 64 bits change; 500 draws have a spread of 0.2


def test_the_order_of_the_parts_matters() -> None:
    assert mixed(1, 2) != mixed(2, 1)
    assert mixed(-1) == mixed(2**64 - 1)


def test_a_seed_decides_all_three_generators() -> None:
    with kept_generators():
        seed_generators(7)
        first = drawn()
        seed_generators(7)
        assert drawn() == first
        seed_generators(8)
        assert not set(drawn()) & set(first)


def test_generators_are_kept_also_where_an_error_leaves() -> None:
    with kept_generators():
        seed_generators(1)
        expected = [drawn(), drawn()]
        seed_generators(1)
        first = drawn()
        with pytest.raises(ZeroDivisionError, match="zero"), kept_generators():
            drawn()[0] / 0

        assert [first, drawn()] == expected


def test_randomness_is_found_inside_the_wrappers_of_torch() -> None:
    plain, random_one = TensorDataset(torch.ones(2)), CountedSamples(2)

    assert declared_random(Subset(random_one, [0]))
    assert declared_random(ConcatDataset([plain, random_one]))
    assert not declared_random(Subset(plain, [0]))


def test_seeding_is_for_the_declared_or_as_wished() -> None:
    assert seeding_for(CountedSamples(1), None) == "sample"
    assert seeding_for(UndeclaredSamples(1), None) == "batch"
    assert seeding_for(UndeclaredSamples(1), True) == "sample"
    assert seeding_for(CountedSamples(1), False) == "none"


def test_any_index_has_a_number() -> None:
    assert index_number(5) == 5
    assert index_number((5, "large")) == index_number((5, "large")) != index_number((6, "large"))
