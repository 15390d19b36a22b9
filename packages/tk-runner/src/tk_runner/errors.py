"""The errors of tk_runner: one base, and each is also the built-in that callers catch."""

from __future__ import annotations

from collections.abc import Sequence


class RunnerError(Exception):
    """Base of every error that tk_runner raises on purpose."""


class InvalidSettingsError(RunnerError, ValueError):
    """Settings that cannot work; the text lists every problem found."""

    @classmethod
    def of(cls, found: Sequence[object]) -> InvalidSettingsError:
        """One error out of all the problems that were gathered."""
        return cls("this run cannot start:\n- " + "\n- ".join(map(str, found)))


class NotConfiguredError(RunnerError, RuntimeError):
    """A part of a run was asked for that was never configured."""


class FolderInUseError(RunnerError, RuntimeError):
    """Another training is alive in the work folder."""


class NonFiniteLossError(RunnerError, FloatingPointError):
    """A loss became NaN or infinite."""


class Stopped(RunnerError, SystemExit):  # noqa: N818 - it is no mistake, the run was asked to end
    """The run was asked to end, saved, and did end; ``code`` is the exit status that says so."""

    def __init__(self, reason: str, code: int, checkpoint: str | None = None) -> None:
        super().__init__(code)
        self.reason = reason
        self.code = code
        self.checkpoint = checkpoint

    @property
    def status(self) -> int:
        """``code``, which is always a number here."""
        return int(self.code or 0)

    @property
    def is_interrupt(self) -> bool:
        """Whether Ctrl-C asked for it."""
        return self.code == 130

    def __str__(self) -> str:
        return f"stopped by {self.reason}"
