"""What can be wrong with a checkpoint; each error names the file."""

from __future__ import annotations

from ..errors import RunnerError


class CheckpointError(RunnerError):
    """Base of what goes wrong with checkpoints."""


class CorruptCheckpointError(CheckpointError, RuntimeError):
    """A file that is torn, damaged, empty or no checkpoint."""


class UnsafeCheckpointError(CheckpointError, RuntimeError):
    """A file whose loading would run code."""


class KeyMismatchError(CheckpointError, RuntimeError):
    """Weights and model do not fit, and the caller wanted them to."""


class MalformedStateError(CheckpointError, ValueError):
    """An entry of a checkpoint that has not the form that its part of the run writes."""


class SchemeTakenError(CheckpointError, KeyError):
    """A prefix of names of checkpoints has its loader already."""

    def __str__(self) -> str:  # KeyError would show the repr of the text
        return str(self.args[0])
