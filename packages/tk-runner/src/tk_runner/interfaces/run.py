"""What the parts of a run may read of it, without knowing the `Runner`.

Hooks, loops and whatever else stands below the runner; this protocol is all that
they see of it. Whoever offers these attributes can drive them, a test with a small stand-in
as well.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Protocol


class RunLike(Protocol):
    """The attributes of a run that its parts read, and the calls that they make."""

    cfg: Any
    work_dir: str
    log_dir: str
    timestamp: str
    experiment_name: str
    message_hub: Any
    visualizer: Any
    log_processor: Any
    model: Any
    strategy: Any
    optim_wrapper: Any
    param_schedulers: Any
    is_resuming: bool

    @property
    def logger(self) -> logging.Logger: ...

    @property
    def cfg_text(self) -> str:
        """The config as the text that a checkpoint keeps; secrets are not in it."""

    @property
    def epoch(self) -> int:
        """Epochs that are finished; 0 without a train loop."""

    @property
    def iter(self) -> int:
        """Iterations that are finished; 0 without a train loop."""

    @property
    def max_epochs(self) -> int: ...

    @property
    def max_iters(self) -> int: ...

    @property
    def train_loop(self) -> Any: ...

    @property
    def val_loop(self) -> Any: ...

    @property
    def test_loop(self) -> Any: ...

    @property
    def train_dataloader(self) -> Any: ...

    @property
    def val_dataloader(self) -> Any: ...

    @property
    def test_dataloader(self) -> Any: ...

    @property
    def hooks(self) -> Sequence[Any]: ...

    @property
    def rank(self) -> int: ...

    @property
    def world_size(self) -> int: ...

    @property
    def seed(self) -> int: ...

    def call_hook(self, fn_name: str, **kwargs: Any) -> None:
        """Call one point of every hook that has it, in order of priority."""

    def build_dataloader(self, dataloader: Any, *, is_training: bool = False) -> Any:
        """A loader with a position, out of a config or a ready-made loader."""

    def build_evaluator(self, evaluator: Any) -> Any: ...

    def save_checkpoint(self, out_dir: str, filename: str, **content: Any) -> str:
        """Write everything that a resumed run needs; the path comes back."""

    def stop_if_requested(self) -> None:
        """At an iteration's boundary: end the run if somebody asked for it."""
