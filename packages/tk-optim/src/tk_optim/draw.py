"""Drawing a schedule before anything is trained: as text, as a plot.

The values come from the schedules' own curves; the optimizer is not touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .errors import InvalidSettingError
from .optional import require
from .scheduler import _ParamScheduler

_BARS = "▁▂▃▄▅▆▇█"


def sample_schedule(
    schedulers: _ParamScheduler | Sequence[_ParamScheduler],
    steps: int,
    *,
    epoch_length: int | None = None,
    group: int = 0,
) -> list[float]:
    """The values that schedules of one entry will give together, from step 0.

    Args:
        schedulers: one, or several that drive the same entry of one optimizer;
            others that were built on it are left out.
        steps: how many values.
        epoch_length: iterations of an epoch, when some of them count epochs and
            others iterations; steps are iterations then.
        group: index of the parameter group.
    """
    given = [schedulers] if isinstance(schedulers, _ParamScheduler) else list(schedulers)
    if not given:
        raise InvalidSettingError("there is no schedule to draw; give one or more")
    if len({one.by_epoch for one in given}) > 1 and epoch_length is None:
        raise InvalidSettingError(
            "some of the schedules count epochs and others iterations; "
            "give epoch_length, the iterations of one epoch"
        )
    if len({id(one._chain) for one in given}) > 1:
        raise InvalidSettingError(
            "the schedules drive different entries or optimizers; draw each by itself"
        )
    chain = given[0]._chain.only([one._link for one in given])
    lengths = [epoch_length if one.by_epoch and epoch_length else 1 for one in given]
    values = []
    for step in range(steps):
        for link, length in zip(chain.links, lengths, strict=True):
            link.position = step // length
        values.append(chain.value(chain.bases[group], group))
    return values


def sparkline(values: Sequence[float], width: int = 60) -> str:
    """A line of bars as high as the values, at most ``width`` of them."""
    if not values:
        return ""
    count = min(width, len(values))
    picked = [values[index * (len(values) - 1) // max(count - 1, 1)] for index in range(count)]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    return "".join(_BARS[round((value - low) / span * (len(_BARS) - 1))] for value in picked)


def draw_schedule(
    schedulers: _ParamScheduler | Sequence[_ParamScheduler],
    steps: int,
    *,
    epoch_length: int | None = None,
    group: int = 0,
    width: int = 60,
) -> str:
    """The schedules as one line of text: bars, with the lowest and the highest value."""
    values = sample_schedule(schedulers, steps, epoch_length=epoch_length, group=group)
    first = schedulers if isinstance(schedulers, _ParamScheduler) else schedulers[0]
    return (
        f"{first.param_name} {sparkline(values, width)} "
        f"{min(values):.4g} to {max(values):.4g} in {steps} steps"
    )


def plot_schedule(
    schedulers: _ParamScheduler | Sequence[_ParamScheduler],
    steps: int,
    path: str | Path | None = None,
    *,
    epoch_length: int | None = None,
    group: int = 0,
) -> Any:
    """The schedules as a matplotlib figure, which is returned; written to ``path`` when given."""
    figures = require("matplotlib.figure", extra="plot", purpose="a plot of a schedule")
    values = sample_schedule(schedulers, steps, epoch_length=epoch_length, group=group)
    first = schedulers if isinstance(schedulers, _ParamScheduler) else schedulers[0]
    # A figure of its own, without pyplot: no window, no state of the process.
    figure = figures.Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    axes.plot(range(steps), values)
    axes.set_xlabel("epoch" if first.by_epoch and epoch_length is None else "iteration")
    axes.set_ylabel(first.param_name)
    if path is not None:
        figure.savefig(path)
    return figure
