"""How model, optimizer and batch meet the hardware."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .distributed import DDPStrategy as DDPStrategy
    from .single_device import SingleDeviceStrategy as SingleDeviceStrategy
    from .strategy import BaseStrategy as BaseStrategy

_MODULE_OF = {
    "BaseStrategy": "strategy",
    "DDPStrategy": "distributed",
    "SingleDeviceStrategy": "single_device",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
