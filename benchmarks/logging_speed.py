"""tk-logging against MMEngine: updates, reads of statistics, losses, state, import.

    PYTHONPATH=packages/tk-registry/src:packages/tk-logging/src python benchmarks/logging_speed.py

Needs mmengine in the same environment; the part with losses needs torch, too. Without
mmengine tk is timed against itself: at a million stored values and at a thousand.
"""

from __future__ import annotations

import importlib.util
import io
import pickle
import random
from collections.abc import Callable
from typing import Any

from paired import paired, paired_programs, show

from tk_logging import HistoryBuffer, MessageHub

HAS_MMENGINE = importlib.util.find_spec("mmengine") is not None
HAS_TORCH = importlib.util.find_spec("torch") is not None

IMPORT = """
import time
start = time.process_time()
import {module}
print(time.process_time() - start)
"""


def hubs(name: str) -> dict[str, Any]:
    """A new hub of each library."""
    found: dict[str, Any] = {"tk": MessageHub(name)}
    if HAS_MMENGINE:
        import mmengine.logging

        found["mmengine"] = mmengine.logging.MessageHub(name)
    return found


def repeated(call: Callable[[], object], times: int) -> Callable[[], None]:
    """``call``, so often that the clock is fine enough."""

    def many() -> None:
        for _ in range(times):
            call()

    return many


def filled(number: int) -> HistoryBuffer:
    """A history after so many updates."""
    history = HistoryBuffer()
    for _ in range(number):
        history.update(0.5)
    return history


def flatness() -> None:
    """One update of a history, by how many values it was given before."""
    subjects = {}
    for number in (1_000, 10_000, 100_000, 1_000_000):
        history = filled(number)
        subjects[f"at {number}"] = repeated(lambda history=history: history.update(0.5), 10_000)
    timings = paired(subjects, repeats=15)
    per_update = {name: type(t)(*(value / 10_000 for value in t)) for name, t in timings.items()}
    show("HistoryBuffer.update", per_update, "at 1000", {"at 1000000": 1.2})


def updates() -> None:
    """One number into a hub, when the key holds few values, and many."""
    for stored in (1_000, 100_000):
        subjects = {}
        for name, hub in hubs("updates").items():
            if name == "mmengine":
                import numpy as np

                hub.update_scalar("loss", 0.5)
                buffer = hub.get_scalar("loss")
                buffer._log_history = np.full(stored, 0.5)
                buffer._count_history = np.ones(stored)
            else:
                repeated(lambda hub=hub: hub.update_scalar("loss", 0.5), stored)()
            calls = 10_000 if name == "tk" else 200
            subjects[name] = (
                repeated(lambda hub=hub: hub.update_scalar("loss", 0.5), calls),
                calls,
            )
        timings = paired({name: call for name, (call, _) in subjects.items()}, repeats=9)
        timings = {
            name: type(t)(*(value / subjects[name][1] for value in t))
            for name, t in timings.items()
        }
        reference = "mmengine" if HAS_MMENGINE else "tk"
        show(f"MessageHub.update_scalar of a number, {stored} stored", timings, reference, {})


def losses() -> None:
    """An iteration that records losses, a log line each ten; one more loss."""
    import torch

    per_iteration: dict[str, dict[int, float]] = {}
    for number in (1, 5, 20):
        names = [f"train/loss_{n}" for n in range(number)]
        values = {name: torch.rand((), requires_grad=True) * 2 for name in names}
        subjects = {}
        for library, hub in hubs("losses").items():

            def run(hub: Any = hub, values: Any = values, names: Any = names) -> None:
                for iteration in range(1, 501):
                    hub.update_scalars(values)
                    if iteration % 10 == 0:
                        for name in names:
                            hub.get_scalar(name).mean(10)

            subjects[library] = run
        timings = paired(subjects, repeats=7)
        timings = {n: type(t)(*(value / 500 for value in t)) for n, t in timings.items()}
        reference = "mmengine" if HAS_MMENGINE else "tk"
        show(f"an iteration with {number} losses on the CPU, log 10", timings, reference, {})
        for library, timing in timings.items():
            per_iteration.setdefault(library, {})[number] = timing.median
    for library, taken in per_iteration.items():
        print(f"  one more loss, {library}: {(taken[20] - taken[1]) / 19 * 1e6:.2f} us")
    if HAS_MMENGINE:
        more = {lib: taken[20] - taken[1] for lib, taken in per_iteration.items()}
        print(f"  ratio {more['tk'] / more['mmengine']:.3f}  (goal <= 0.30)")


def state() -> None:
    """The hub in a checkpoint: twenty keys after 100,000 iterations."""
    rng = random.Random(0)
    hub = MessageHub("state")
    hub.history_length = 1000
    for number in range(100_000):
        hub.update_scalars({"train/lr": 0.1 * 0.99**number, "train/time": rng.random()})
    single = [rng.randrange(1 << 24) / (1 << 24) for _ in range(1000)]
    for value in single:
        hub.update_scalars({f"train/loss_{n}": value for n in range(18)})
    print(
        f"\n20 keys in a checkpoint: {len(pickle.dumps(hub.state_dict(), protocol=2)) / 1e6:.3f} MB"
    )
    if HAS_TORCH:
        import torch

        file = io.BytesIO()
        torch.save(hub.state_dict(), file)
        print(f"  with torch.save: {len(file.getvalue()) / 1e6:.3f} MB  (must <= 1, goal 0.1)")


def imports() -> None:
    """A fresh interpreter that imports the package."""
    modules = {"tk": "tk_logging"}
    if HAS_MMENGINE:
        modules["mmengine"] = "mmengine.logging"
    programs = {name: IMPORT.format(module=module) for name, module in modules.items()}
    reference = "mmengine" if HAS_MMENGINE else "tk"
    show("import", paired_programs(programs), reference, {"tk": 0.35})


if __name__ == "__main__":
    flatness()
    updates()
    if HAS_TORCH:
        losses()
    state()
    imports()
