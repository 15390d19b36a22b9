"""torch's containers, with weights that are initialised by config."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from torch import nn

from tk_registry import MODELS

from .module import BaseModule

InitCfg = Mapping[str, Any] | list[Mapping[str, Any]] | None


@MODELS.register_module()
class Sequential(BaseModule, nn.Sequential):
    """`torch.nn.Sequential` with ``init_cfg``; what a list of model configs is built into.

    Args:
        *args: modules, or one ordered mapping of names to modules.
        init_cfg: of `BaseModule`.
    """

    def __init__(self, *args: Any, init_cfg: InitCfg = None) -> None:
        BaseModule.__init__(self, init_cfg)
        nn.Sequential.__init__(self, *args)


class ModuleList(BaseModule, nn.ModuleList):
    """`torch.nn.ModuleList` with ``init_cfg``.

    Args:
        modules: what it holds.
        init_cfg: of `BaseModule`.
    """

    def __init__(
        self, modules: Iterable[nn.Module] | None = None, init_cfg: InitCfg = None
    ) -> None:
        BaseModule.__init__(self, init_cfg)
        nn.ModuleList.__init__(self, modules)


class ModuleDict(BaseModule, nn.ModuleDict):
    """`torch.nn.ModuleDict` with ``init_cfg``.

    Args:
        modules: names to modules.
        init_cfg: of `BaseModule`.
    """

    def __init__(
        self, modules: Mapping[str, nn.Module] | None = None, init_cfg: InitCfg = None
    ) -> None:
        BaseModule.__init__(self, init_cfg)
        nn.ModuleDict.__init__(self, modules)
