"""Seeds, determinism, and the state of every random generator as plain values."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from tk_dist import get_device, get_rank, sync_random_seed
from tk_registry import Rule, value_rules


@value_rules(
    seed=Rule(
        "a whole number that 64 bits hold, or None",
        lambda value: (
            hasattr(value, "__index__")
            and not isinstance(value, bool)
            and -(2**63) <= int(value) < 2**63
        ),
    )
)
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
    """The state of every generator that this process draws from, as tensors and builtins.

    Of the devices only the current one: each rank saves that of its own.
    """
    return {**capture_host_state(), **_capture_device_state()}


def capture_host_state() -> dict[str, Any]:
    """The state of the generators of Python, NumPy and torch on the CPU."""
    version, internal, gauss = random.getstate()
    name, keys, position, has_gauss, cached = np.random.get_state(legacy=True)
    return {
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


def _capture_device_state() -> dict[str, Any]:
    kind = torch.device(get_device()).type
    module = getattr(torch, kind, None)
    if kind == "cpu" or module is None:
        return {}
    if not getattr(module, "is_initialized", lambda: True)():
        return {}  # nothing was drawn there, and asking would occupy the device
    return {"device": {"type": kind, "state": module.get_rng_state().cpu()}}


def restore_random_state(state: Mapping[str, Any]) -> None:
    """Set every generator back to what ``capture_random_state`` saw."""
    python = state["python"]
    random.setstate((python["version"], tuple(python["internal"].tolist()), python["gauss"]))
    saved = state["numpy"]
    keys = saved["keys"].numpy().astype(np.uint32)
    np.random.set_state(
        (saved["name"], keys, saved["position"], saved["has_gauss"], saved["cached"])
    )
    torch.set_rng_state(state["torch"].cpu())
    _restore_device_state(state)


def _restore_device_state(state: Mapping[str, Any]) -> None:
    kind = torch.device(get_device()).type
    of_device = state.get("device")
    if of_device is None and state.get("cuda"):  # as files of earlier versions have it: a list
        index = torch.cuda.current_device() if kind == "cuda" else 0
        of_device = {"type": "cuda", "state": state["cuda"][min(index, len(state["cuda"]) - 1)]}
    if of_device is not None and of_device["type"] == kind:
        getattr(torch, kind).set_rng_state(of_device["state"].cpu())
