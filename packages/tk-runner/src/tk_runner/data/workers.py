"""Seeds of data-loading processes."""

from __future__ import annotations

import random
import warnings

import numpy as np
import torch


def worker_init_fn(
    worker_id: int,
    num_workers: int,
    rank: int,
    seed: int,
    disable_subprocess_warning: bool = False,
) -> None:
    """Give this worker process a seed that no other worker of any rank has.

    Seeds NumPy, ``random`` and torch with ``num_workers * rank + worker_id + seed``.
    """
    worker_seed = num_workers * rank + worker_id + seed
    np.random.seed(worker_seed % 2**32)
    random.seed(worker_seed)
    torch.manual_seed(worker_seed)
    if disable_subprocess_warning and worker_id != 0:
        warnings.simplefilter("ignore")
