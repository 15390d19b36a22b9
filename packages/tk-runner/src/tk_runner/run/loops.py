"""The loops of a run: built when they are first used, and the counts that they keep.

Reading a count builds nothing, so a test never touches the training side.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..building.loops import build_evaluation_loop
from ..settings.groups import EvaluationSettings, TrainSettings
from .session import Run, current


class RunLoops(Run):
    """What the `Runner` knows of its loops.

    A subclass sets ``train_settings``, ``_val`` and ``_test`` before the first use.
    """

    train_settings: TrainSettings
    _val: EvaluationSettings
    _test: EvaluationSettings

    def __init__(self) -> None:
        self._loops: dict[str, Any] = {}

    def use_train_loop(self, loop: Any) -> None:
        """Train with this loop."""
        self._loops["train"] = loop

    @contextmanager
    def _ending_workers(self, *modes: str) -> Iterator[None]:
        """However the block ends, no data-loading process of these loops outlives it."""
        try:
            yield
        finally:
            for mode in modes:
                end = getattr(self._loops.get(mode), "end_workers", None)
                if end is not None:
                    end()

    @property
    def train_loop(self) -> Any:
        """The train loop while there is one; reading builds nothing."""
        return self._loops.get("train")

    @property
    def val_loop(self) -> Any:
        """The validation loop, built at first use; ``None`` where none is configured."""
        return self._evaluation_loop(self._val, "ValLoop")

    @property
    def test_loop(self) -> Any:
        """The test loop, built at first use; ``None`` where none is configured."""
        return self._evaluation_loop(self._test, "TestLoop")

    def _evaluation_loop(self, settings: EvaluationSettings, default: str) -> Any:
        if settings.mode not in self._loops and settings.is_given:
            with current(self):
                self._loops[settings.mode] = build_evaluation_loop(
                    settings.cfg,
                    self,  # type: ignore[arg-type]  # a Runner: the only kind that there is
                    settings.dataloader,
                    settings.evaluator,
                    default,
                )
        return self._loops.get(settings.mode)

    @property
    def train_dataloader(self) -> Any:
        """The loader of the train loop, or what it will be built from."""
        return getattr(self.train_loop, "dataloader", self.train_settings.dataloader)

    @property
    def val_dataloader(self) -> Any:
        """The loader of the validation loop, or what it will be built from."""
        return getattr(self._loops.get("val"), "dataloader", self._val.dataloader)

    @property
    def test_dataloader(self) -> Any:
        """The loader of the test loop, or what it will be built from."""
        return getattr(self._loops.get("test"), "dataloader", self._test.dataloader)

    @property
    def epoch(self) -> int:
        """Epochs that are finished; 0 without a train loop."""
        loop = self._loops.get("train")
        return int(loop.epoch) if loop is not None else 0

    @property
    def iter(self) -> int:
        """Iterations that are finished; 0 without a train loop."""
        loop = self._loops.get("train")
        return int(loop.iter) if loop is not None else 0

    @property
    def max_epochs(self) -> int:
        """Epochs of the whole training; 0 without a train loop."""
        return getattr(self.train_loop, "max_epochs", 0)

    @property
    def max_iters(self) -> int:
        """Iterations of the whole training; 0 without a train loop."""
        return getattr(self.train_loop, "max_iters", 0)
