"""The keys of a loader's config."""

from __future__ import annotations

# Keys that are ours; the others are arguments of torch's DataLoader.
OWN_KEYS = ("dataset", "sampler", "batch_sampler", "collate_fn", "worker_init_fn")
