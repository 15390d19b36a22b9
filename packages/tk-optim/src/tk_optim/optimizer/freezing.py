"""Freezing of parameters by name, and their release at an epoch.

Which parameters train is a function of the epoch alone, so a resumed run has
nothing to restore: whoever drives it (a hook, a loop) calls ``apply``.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence

from torch import nn

from ..counts import is_count
from ..errors import InvalidSettingError, InvalidTypeError
from .paths import Match, means, unmatched

logger = logging.getLogger("tk.optim")


class Freezing:
    """The parameters of a model that do not train, or not from the beginning.

    Batch norms of a frozen part still collect statistics in training mode.
    torch's DDP exchanges gradients only of parameters that trained when it was
    built; the wrappers of tk-runner follow what trains.

    Args:
        model: whose parameters are meant.
        patterns: patterns of module names, see ``paths.py``; as a mapping, to
            the epoch from which they train (None: never). Where several mean a
            parameter, the longest freeze counts.
        match: ``segments`` or ``substring``.
    """

    def __init__(
        self,
        model: nn.Module,
        patterns: Sequence[str] | Mapping[str, int | None],
        match: Match = "segments",
    ) -> None:
        until = _by_pattern(patterns)
        self._until: dict[str, tuple[nn.Parameter, float]] = {}
        named = dict(model.named_parameters())
        for path, param in named.items():
            ends = [end for pattern, end in until.items() if means(pattern, path, match)]
            if ends:
                self._until[path] = (param, max(ends))
        for problem in unmatched(list(until), list(named), match):
            logger.warning("freeze: %s", problem)

    def apply(self, epoch: int) -> list[str]:
        """Freeze and release what is due in ``epoch``, counted from 0; the names that changed."""
        changed = []
        for path, (param, until) in self._until.items():
            trains = epoch >= until
            if param.requires_grad != trains:
                param.requires_grad_(trains)
                param.grad = None
                changed.append(path)
        return changed

    @property
    def releases(self) -> list[str]:
        """The names of the parameters that train from some epoch on."""
        return [path for path in self._until if self.is_released(path)]

    def frozen_for_good(self, path: str) -> bool:
        """Whether the parameter at ``path`` never trains."""
        return path in self._until and math.isinf(self._until[path][1])

    def is_released(self, path: str) -> bool:
        """Whether the parameter at ``path`` begins to train at some epoch."""
        return path in self._until and not self.frozen_for_good(path)


def _by_pattern(patterns: Sequence[str] | Mapping[str, int | None]) -> dict[str, float]:
    if isinstance(patterns, str) or not isinstance(patterns, (Sequence, Mapping)):
        raise InvalidTypeError(
            f"freeze={patterns!r}: give a list of patterns such as ['backbone.stem'], or a dict "
            "of pattern to the epoch from which it trains"
        )
    if not isinstance(patterns, Mapping):
        return dict.fromkeys(patterns, math.inf)
    for pattern, epoch in patterns.items():
        if epoch is not None and not is_count(epoch, 1):
            raise InvalidSettingError(
                f"freeze[{pattern!r}]={epoch!r}: give the epoch, 1 or later, from which it "
                "trains, or None to freeze it for good"
            )
    return {
        pattern: math.inf if epoch is None else float(epoch) for pattern, epoch in patterns.items()
    }
