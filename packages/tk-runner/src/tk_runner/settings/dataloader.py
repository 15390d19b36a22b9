"""A loader's config: its keys, and what their values must be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tk_registry import value_problems

from ..data import StatefulDataLoader

# Keys that are ours; the others are arguments of torch's DataLoader.
OWN_KEYS = ("dataset", "sampler", "batch_sampler", "collate_fn", "worker_init_fn")


def loader_problems(dataloader: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The argument and the sentence of every value in a loader's config that cannot work."""
    inside = ("dataset", "collate_fn", "worker_init_fn")
    settings = {
        key: value for key, value in dataloader.items() if value is not None and key not in inside
    }
    if "batch_sampler" in settings:
        settings.pop("sampler", None)  # the batch sampler is given it
    problems: list[tuple[str, str]] = list(value_problems(StatefulDataLoader, settings))
    for key in ("sampler", "batch_sampler"):
        if key in settings and settings.get("shuffle") is False:
            text = f"the {key} decides the order, so shuffle=False has no effect; remove one"
            problems.append(("shuffle", text))
    return problems
