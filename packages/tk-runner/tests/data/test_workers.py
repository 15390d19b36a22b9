from __future__ import annotations

import random
import warnings

import numpy as np
import pytest
import torch

from tk_runner.data import worker_init_fn
from tk_runner.data.sample_seed import kept_generators


def test_a_worker_is_seeded_with_its_own_number() -> None:
    with kept_generators():
        worker_init_fn(worker_id=1, num_workers=4, rank=2, seed=10)
        drawn = random.random(), np.random.rand(), torch.rand(())
        random.seed(19)
        np.random.seed(19)
        torch.manual_seed(19)

        assert drawn == (random.random(), np.random.rand(), torch.rand(()))


@pytest.mark.parametrize(("worker_id", "shown"), [(0, True), (1, False)])
def test_warnings_of_all_workers_but_the_first_can_be_silenced(worker_id: int, shown: bool) -> None:
    with kept_generators(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        worker_init_fn(worker_id, 2, 0, 0, disable_subprocess_warning=True)
        warnings.warn("x", stacklevel=1)

    assert bool(caught) is shown
