"""Seeds, determinism, and the state of every random generator as plain values."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from tk_dist import get_rank, sync_random_seed


def set_random_seed(
    seed: int | None = None, deterministic: bool = False, diff_rank_seed: bool = False
) -> int:
    """Seed Python, NumPy and torch on every device.

    Args:
        seed: the same on every rank; ``None`` draws one and agrees on it.
        deterministic: let torch refuse operations that have no deterministic form.
        diff_rank_seed: add the rank, so that ranks draw different numbers.

    Returns:
        The seed of the run, without the rank.
    """
    if seed is None:
        seed = sync_random_seed()
    own = seed + get_rank() if diff_rank_seed else seed
    random.seed(own)
    np.random.seed(own % 2**32)
    torch.manual_seed(own)
    if deterministic:
        if torch.cuda.is_available() and "CUBLAS_WORKSPACE_CONFIG" not in os.environ:
            raise RuntimeError(
                "deterministic=True needs CUBLAS_WORKSPACE_CONFIG=:4096:8 in the environment "
                "before the first CUDA call; set it where the run is started"
            )
        torch.backends.cudnn.benchmark = False
        torch.backends.cudnn.deterministic = True
        torch.use_deterministic_algorithms(True)
    return seed


def capture_random_state() -> dict[str, Any]:
    """The state of every generator of this process: tensors and builtins only."""
    version, internal, gauss = random.getstate()
    name, keys, position, has_gauss, cached = np.random.get_state(legacy=True)
    state: dict[str, Any] = {
        "python": {"version": version, "internal": torch.tensor(internal), "gauss": gauss},
        "numpy": {
            "name": name,
            "keys": torch.from_numpy(np.asarray(keys).astype(np.int64)),
            "position": int(position),
            "has_gauss": int(has_gauss),
            "cached": float(cached),
        },
        "torch": torch.get_rng_state(),
    }
    if torch.cuda.is_available() and torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        state["cuda"] = torch.cuda.get_rng_state_all()
    return state


def restore_random_state(state: Mapping[str, Any]) -> None:
    """Set every generator back to what ``capture_random_state`` saw."""
    python = state["python"]
    random.setstate((python["version"], tuple(python["internal"].tolist()), python["gauss"]))
    kept = state["numpy"]
    keys = kept["keys"].numpy().astype(np.uint32)
    np.random.set_state((kept["name"], keys, kept["position"], kept["has_gauss"], kept["cached"]))
    torch.set_rng_state(state["torch"].cpu())
    if "cuda" in state and torch.cuda.is_available():
        for index, own in enumerate(state["cuda"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(own.cpu(), index)
