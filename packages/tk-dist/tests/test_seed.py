"""One seed for all ranks."""

from __future__ import annotations

import random

import torch
import torch.distributed as torch_dist

import tk_dist
from tk_dist import launch


def test_the_seed_is_the_same_on_all_ranks_and_new_each_time() -> None:
    seeds = launch(lambda: (tk_dist.sync_random_seed(), tk_dist.sync_random_seed()), 3)

    assert len(set(seeds)) == 1
    assert seeds[0][0] != seeds[0][1]
    assert all(0 <= seed < 2**31 for seed in seeds[0])


def test_no_generator_moves_on() -> None:
    before = random.getstate(), torch.get_rng_state()
    tk_dist.sync_random_seed()

    assert random.getstate() == before[0]
    assert torch.equal(torch.get_rng_state(), before[1])


def test_a_sub_group_has_a_seed_of_its_own() -> None:
    def seed() -> int | None:
        group = torch_dist.new_group([1, 2])
        return tk_dist.sync_random_seed(group) if tk_dist.get_rank() else None

    first, second, third = launch(seed, 3)

    assert first is None
    assert second == third
