"""What `OptimWrapper.update_params` costs over the bare optimizer step, beside MMEngine's.

Run it where both are installed. The figure is the overhead of ours over that of theirs: how much
longer an iteration is than one that calls backward, step and zero_grad itself.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch
from mmengine.optim import OptimWrapper as Theirs
from torch import nn
from torch.optim import SGD

from tk_optim import OptimWrapper as Ours

REPEATS = 61
CALLS = 400
GOAL = 0.4


def bare(every: int, clip: float | None) -> Callable[[], None]:
    """A loop of one's own: what the wrappers do, written out."""
    model, data = nn.Linear(8, 8), torch.randn(4, 8)
    optimizer = SGD(model.parameters(), lr=1e-6)
    count = 0

    def step() -> None:
        nonlocal count
        loss = model(data).sum()
        (loss if every == 1 else loss / every).backward()
        count += 1
        if count % every == 0:
            if clip is not None:
                nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            optimizer.zero_grad()

    return step


def wrapped(kind: type, every: int, clip: float | None) -> Callable[[], None]:
    """The same through a wrapper, with its context, as a train step uses it."""
    model, data = nn.Linear(8, 8), torch.randn(4, 8)
    clip_grad = None if clip is None else {"max_norm": clip}
    wrapper = kind(SGD(model.parameters(), lr=1e-6), every, clip_grad)
    wrapper.initialize_count_status(model, 0, 10**9)

    def step() -> None:
        with wrapper.optim_context(model):
            loss = model(data).sum()
        wrapper.update_params(loss)

    return step


def overheads(every: int, clip: float | None) -> tuple[float, float, float]:
    """CPU seconds of the bare step, and what ours and theirs add; medians of paired repeats."""
    subjects = {
        "bare": bare(every, clip),
        "ours": wrapped(Ours, every, clip),
        "theirs": wrapped(Theirs, every, clip),
    }
    taken: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(REPEATS):
        for name, subject in subjects.items():
            start = time.process_time()
            for _ in range(CALLS):
                subject()
            taken[name].append((time.process_time() - start) / CALLS)

    def added(name: str) -> float:
        return statistics.median(
            one - base for one, base in zip(taken[name], taken["bare"], strict=True)
        )

    return statistics.median(taken["bare"]), added("ours"), added("theirs")


def main() -> None:
    torch.set_num_threads(1)
    print(f"{'case':24} {'bare us':>8} {'ours +us':>9} {'mmengine +us':>13} {'ratio':>6}")
    for title, every, clip in (
        ("plain", 1, None),
        ("accumulation of 4", 4, None),
        ("clipping by norm", 1, 1.0),
    ):
        base, ours, theirs = overheads(every, clip)
        print(
            f"{title:24} {base * 1e6:8.1f} {ours * 1e6:9.1f} {theirs * 1e6:13.1f} "
            f"{ours / theirs:6.2f}  goal <= {GOAL}: {'met' if ours / theirs <= GOAL else 'MISSED'}"
        )


if __name__ == "__main__":
    main()
