"""The loops of a run, each built when it is first used.

Reading a count builds nothing, so a test never touches the training side.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from ..building.loops import build_evaluation_loop
from ..errors import NotConfiguredError
from ..interfaces.loops import EvaluationLoopLike, TrainLoopLike
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
        self.train: TrainLoopLike | None = None
        self._evaluation: dict[str, EvaluationLoopLike] = {}

    @property
    def val(self) -> EvaluationLoopLike | None:
        """The validation loop, built at first use; ``None`` where none is configured."""
        return self._evaluation_loop("val", "ValLoop")

    @property
    def test(self) -> EvaluationLoopLike | None:
        """The test loop, built at first use; ``None`` where none is configured."""
        return self._evaluation_loop("test", "TestLoop")

    def _evaluation_loop(
        self, mode: Literal["val", "test"], default: str
    ) -> EvaluationLoopLike | None:
        settings = self._settings.val if mode == "val" else self._settings.test
        if mode not in self._evaluation and settings.is_given:
            with self._instances.as_current():
                self._evaluation[mode] = build_evaluation_loop(
                    settings.cfg, self._run, settings.dataloader, settings.evaluator, default
                )
        return self._evaluation.get(mode)

    def evaluation(self, mode: Literal["val", "test"]) -> EvaluationLoopLike:
        """The validation or test loop.

        Raises:
            NotConfiguredError: the run was given no data for it.
        """
        loop = self.val if mode == "val" else self.test
        if loop is None:
            raise not_configured(mode)
        return loop

    def dataloader(self, mode: Literal["train", "val", "test"]) -> Any:
        """The loader of a loop that was built, else what it will be built from."""
        loop = self.train if mode == "train" else self._evaluation.get(mode)
        return self._settings.dataloader(mode) if loop is None else loop.dataloader

    @contextmanager
    def ending_workers(self) -> Iterator[None]:
        """However the block ends, no data-loading process outlives it."""
        try:
            yield
        finally:
            for loop in (self.train, *self._evaluation.values()):
                if loop is not None:
                    loop.end_workers()


def not_configured(mode: str) -> NotConfiguredError:
    """A mode that the run was given no data for."""
    return NotConfiguredError(
        f"this run has no {mode}_dataloader; give {mode}_dataloader and what belongs to it"
    )
