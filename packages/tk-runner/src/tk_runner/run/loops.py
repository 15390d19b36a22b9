"""The loops of a run, each built when it is first used.

Reading a count builds nothing, so a test never touches the training side.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from ..building.loops import build_evaluation_loop
from ..interfaces.run import RunLike
from ..settings.run_settings import RunSettings
from .current import CurrentInstances


class Loops:
    """The train loop, once it was given, and the evaluation loops as configured.

    Args:
        settings: of the run.
        run: what the loops get as their run.
        instances: current while a loop is built.
    """

    def __init__(self, settings: RunSettings, run: RunLike, instances: CurrentInstances) -> None:
        self._settings = settings
        self._run = run
        self._instances = instances
        self.train: Any = None
        self._evaluation: dict[str, Any] = {}

    @property
    def val(self) -> Any:
        """The validation loop, built at first use; ``None`` where none is configured."""
        return self._evaluation_loop("val", "ValLoop")

    @property
    def test(self) -> Any:
        """The test loop, built at first use; ``None`` where none is configured."""
        return self._evaluation_loop("test", "TestLoop")

    def _evaluation_loop(self, mode: Literal["val", "test"], default: str) -> Any:
        settings = self._settings.val if mode == "val" else self._settings.test
        if mode not in self._evaluation and settings.is_given:
            with self._instances.as_current():
                self._evaluation[mode] = build_evaluation_loop(
                    settings.cfg, self._run, settings.dataloader, settings.evaluator, default
                )
        return self._evaluation.get(mode)

    def dataloader(self, mode: Literal["train", "val", "test"]) -> Any:
        """The loader of a loop that was built, else what it will be built from."""
        loop = self.train if mode == "train" else self._evaluation.get(mode)
        return getattr(loop, "dataloader", self._settings.dataloader(mode))

    @contextmanager
    def ending_workers(self) -> Iterator[None]:
        """However the block ends, no data-loading process outlives it."""
        try:
            yield
        finally:
            for loop in (self.train, *self._evaluation.values()):
                end = getattr(loop, "end_workers", None)
                if end is not None:
                    end()
