"""`BaseModule`: a module whose first weights come from a config.

The order is: its own config, then its children, then its own checkpoints, which so
win over the children. Children that were initialised already are left alone.
"""

from __future__ import annotations

import copy
import logging
from abc import ABCMeta
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from typing import Any

from torch import nn

from .initializers import initialize, is_pretrained, recording, update_init_info
from .wrapping import is_model_wrapper

logger = logging.getLogger("tk.runner")
Initialisable = Any  # a module with init_weights()


class BaseModule(nn.Module, metaclass=ABCMeta):
    """A module that knows how its weights are initialised.

    Args:
        init_cfg: a config of an initializer, or a list of them; see
            `tk_runner.model.initialize`.
    """

    def __init__(self, init_cfg: Mapping[str, Any] | list[Mapping[str, Any]] | None = None) -> None:
        super().__init__()
        self._is_init = False
        self.init_cfg = copy.deepcopy(init_cfg)

    @property
    def is_init(self) -> bool:
        """Whether `init_weights` was called; setting it to True keeps weights as they are."""
        return self._is_init

    @is_init.setter
    def is_init(self, value: bool) -> None:
        self._is_init = value

    def init_weights(self) -> None:
        """Initialise this module and what is in it, once.

        The outermost call writes to the log what set each parameter, where anything does.

        Raises:
            InitializationError: a parameter was added or replaced meanwhile.
        """
        if self._is_init:
            logger.warning(
                "init_weights() of %s was called before: its weights are left as they are; "
                "set is_init=False to initialise them again",
                type(self).__name__,
            )
            return
        with recording(self) if self._has_settings() else nullcontext():
            first, last = self._split_cfg()
            initialize(self, first)
            for child in self._children_to_initialise():
                _initialise(child)
            initialize(self, last)
            self._is_init = True

    def _has_settings(self) -> bool:
        """Whether anything in here sets weights; else there is nothing to record."""
        own = BaseModule.init_weights
        return any(
            getattr(module, "init_cfg", None)
            or getattr(type(module), "init_weights", own) is not own
            for module in self.modules()
        )

    def _split_cfg(self) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
        """The configs that come before the children, and the checkpoints that come after."""
        cfg: Any = self.init_cfg
        given: list[Any] = list(cfg) if isinstance(cfg, (list, tuple)) else [cfg] if cfg else []
        loading = [isinstance(one, Mapping) and is_pretrained(one) for one in given]
        pairs = list(zip(given, loading, strict=True))
        return [one for one, late in pairs if not late], [one for one, late in pairs if late]

    def _children_to_initialise(self) -> Iterator[Initialisable]:
        for child in self.children():
            if is_model_wrapper(child) and not hasattr(child, "init_weights"):
                child = child.module  # type: ignore[assignment]  # every wrapper has one
            if hasattr(child, "init_weights"):
                yield child
            else:
                yield from base_modules_in(child)

    def __repr__(self) -> str:
        text = super().__repr__()
        return f"{text}\ninit_cfg={self.init_cfg}" if self.init_cfg else text


def base_modules_in(module: nn.Module) -> Iterator[BaseModule]:
    """The outermost `BaseModule`s below a plain module, such as torch's containers."""
    for child in module.children():
        if isinstance(child, BaseModule):
            yield child
        else:
            yield from base_modules_in(child)


def _initialise(child: Initialisable) -> None:
    if getattr(child, "is_init", False):
        return
    child.init_weights()
    if getattr(type(child), "init_weights", None) is not BaseModule.init_weights:
        update_init_info(child, f"init_weights() of {type(child).__name__}")
