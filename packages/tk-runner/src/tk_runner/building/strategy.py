"""The strategy of a run."""

from __future__ import annotations

from collections.abc import Mapping

from tk_dist import is_distributed
from tk_registry import STRATEGIES

from ..settings.groups import PlacementSettings
from ..strategy import BaseStrategy, DDPStrategy, SingleDeviceStrategy


def build_strategy(placement: PlacementSettings) -> BaseStrategy:
    """The user's strategy; else one device, or data parallel where there are several ranks.

    Raises:
        TypeError: ``strategy`` is neither a strategy nor the config of one.
    """
    strategy = placement.strategy
    if isinstance(strategy, Mapping):
        built: BaseStrategy = STRATEGIES.build(strategy)
        return built
    if isinstance(strategy, BaseStrategy):
        return strategy
    if strategy is not None:
        raise TypeError(f"strategy must be a strategy or the config of one, got {strategy!r}")
    if not is_distributed():
        return SingleDeviceStrategy()
    return DDPStrategy(
        placement.model_wrapper_cfg, placement.sync_bn, placement.find_unused_parameters
    )
