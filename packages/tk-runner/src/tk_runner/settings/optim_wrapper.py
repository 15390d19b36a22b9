"""Which mappings are the config of an optimizer wrapper, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tk_optim import OptimWrapper


def problem_of_wrapper(given: Mapping[str, Any]) -> str | None:
    """What is wrong with a mapping that is no config of a wrapper, and not wrappers by name."""
    unbuilt = [name for name, one in given.items() if not isinstance(one, OptimWrapper)]
    if is_wrapper_config(given) or not unbuilt:
        return None
    if "type" in given:
        return (
            "optim_wrapper has no 'optimizer'; write "
            "optim_wrapper=dict(optimizer=dict(type='SGD', lr=0.1)) with yours"
        )
    return (
        f"optim_wrapper has no 'optimizer', and {', '.join(map(repr, unbuilt))} is no "
        "OptimWrapper; for several optimizers give built wrappers by name, or a constructor"
    )


def is_wrapper_config(given: Mapping[str, Any]) -> bool:
    """Whether a wrapper is built from it; otherwise it holds built wrappers by name."""
    return "optimizer" in given or "constructor" in given
