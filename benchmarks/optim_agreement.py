"""The values of our schedules beside MMEngine's, over random windows and combinations.

`CosineRestart` is left out of the combinations: there it goes back to the base value at each
restart, whatever other schedules made of it. Run it where both are installed.
"""

from __future__ import annotations

import argparse
import random
import warnings
from typing import Any

import mmengine.optim.scheduler as theirs
import torch
from torch.optim import SGD

import tk_optim.scheduler as ours

STEPS = 22
# Theirs goes from value to value, so rounding adds up: far below any rate that matters.
TOLERANCE = 1e-7


def optimizer() -> SGD:
    return SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)


def draw(source: random.Random) -> tuple[str, dict[str, Any]]:
    """The name and the settings of one schedule."""
    begin = source.randrange(0, 8)
    window = {"begin": begin, "end": begin + source.randrange(2, 12)}
    marks = sorted(source.randrange(1, 10) for _ in range(3))
    settings: dict[str, dict[str, Any]] = {
        "StepLR": {"step_size": source.randrange(1, 5), "gamma": 0.5},
        "MultiStepLR": {"milestones": marks, "gamma": 0.5},
        "ConstantLR": {"factor": 0.3},
        "ExponentialLR": {"gamma": 0.9},
        "CosineAnnealingLR": {},
        "LinearLR": {"start_factor": source.choice([0.1, 0.5]), "end_factor": 1.0},
        "PolyLR": {"power": 0.9},
    }
    name = source.choice(sorted(settings))
    return name, {**settings[name], **window}


def values(module: Any, drawn: list[tuple[str, dict[str, Any]]]) -> list[float]:
    """The rate at each step under the schedules that were drawn."""
    target = optimizer()
    schedules = [getattr(module, name)(target, **settings) for name, settings in drawn]
    seen = []
    for _ in range(STEPS):
        seen.append(target.param_groups[0]["lr"])
        target.step()
        for schedule in schedules:
            schedule.step()
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2000)
    trials = parser.parse_args().trials
    warnings.simplefilter("ignore")
    source = random.Random(0)
    worst, apart = 0.0, 0
    for _ in range(trials):
        drawn = [draw(source) for _ in range(source.choice([1, 1, 2, 3]))]
        pairs = zip(values(theirs, drawn), values(ours, drawn), strict=True)
        difference = max(abs(one - other) for one, other in pairs)
        worst, apart = max(worst, difference), apart + (difference > TOLERANCE)
    print(f"{trials} combinations, {apart} apart by more than {TOLERANCE}; largest {worst:.1e}")


if __name__ == "__main__":
    main()
