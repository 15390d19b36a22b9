"""Augmentation at test time: the model of a test is wrapped, and comes back unwrapped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tk_registry import HOOKS, MODELS

from ..errors import InvalidSettingsError
from ..interfaces.run import RunLike
from .hook import Hook


@HOOKS.register_module()
class PrepareTTAHook(Hook):
    """Puts a test-time model around the run's model for the time of a test.

    Args:
        tta_cfg: config of the test-time model, with ``type``; it gets the model
            as ``module``.
    """

    priority = "NORMAL"

    def __init__(self, tta_cfg: Mapping[str, Any]) -> None:
        if "type" not in tta_cfg:
            raise InvalidSettingsError(
                f"tta_cfg has no 'type': {dict(tta_cfg)}; give the name of a model that merges "
                "predictions, see BaseTTAModel"
            )
        self.tta_cfg = dict(tta_cfg)
        self._plain: Any = None

    def before_test(self, runner: RunLike) -> None:
        """Wrap."""
        module = runner.strategy.unwrap(runner.model)
        wrapped = MODELS.build(self.tta_cfg, default_args={"module": module})
        self._plain, runner.model = runner.model, wrapped

    def after_test(self, runner: RunLike) -> None:
        """Unwrap."""
        self._unwrap(runner)

    def on_exception(self, runner: RunLike, error: BaseException) -> None:
        """A test that broke off leaves the model as it was."""
        self._unwrap(runner)

    def _unwrap(self, runner: RunLike) -> None:
        if self._plain is not None:
            runner.model, self._plain = self._plain, None
