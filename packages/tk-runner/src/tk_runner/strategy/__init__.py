"""How model, optimizer and batch meet the hardware."""

from .distributed import DDPStrategy
from .single_device import SingleDeviceStrategy
from .strategy import BaseStrategy

__all__ = ["BaseStrategy", "DDPStrategy", "SingleDeviceStrategy"]
