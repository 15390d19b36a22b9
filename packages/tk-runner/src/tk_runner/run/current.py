"""What is found by name while a run runs: its logger, hub, visualizer and scope."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from tk_logging import MessageHub, MMLogger
from tk_registry import DefaultScope

from ..visualization import Visualizer


@dataclass(frozen=True)
class CurrentInstances:
    """The instances of a run that code inside it gets as the current ones."""

    logger: MMLogger
    message_hub: MessageHub
    visualizer: Visualizer
    default_scope: str | None

    @contextmanager
    def as_current(self) -> Iterator[None]:
        """They are current inside the block; what was current before is so again after it."""
        with ExitStack() as stack:
            for instance in (self.logger, self.message_hub, self.visualizer):
                stack.enter_context(instance.as_current())
            stack.enter_context(DefaultScope.overwrite_default_scope(self.default_scope))
            yield

    def close(self) -> None:
        """Close their files and forget their names."""
        self.visualizer.close()
        self.visualizer.forget_instance(self.visualizer.instance_name)
        self.message_hub.forget_instance(self.message_hub.instance_name)
        self.logger.close()
