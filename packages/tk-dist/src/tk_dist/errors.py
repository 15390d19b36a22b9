"""The errors of tk_dist: one base, and each is also the built-in that callers catch."""

from __future__ import annotations


class DistError(Exception):
    """Base of every error that tk_dist raises on purpose."""


class LauncherError(DistError, ValueError):
    """A launcher, backend or setting of the start-up that cannot work here."""


class MissingVariableError(DistError, KeyError):
    """The launcher's environment lacks a variable that the start-up reads."""

    def __str__(self) -> str:  # KeyError would show the repr of the text
        return str(self.args[0])


class GroupError(DistError, RuntimeError):
    """A process group that is missing, exists already, or lacks this rank."""


class RankError(DistError, ValueError):
    """A source or destination that is no rank of the group."""


class ReduceOpError(DistError, ValueError):
    """A reduce operation that does not exist or does not fit the dtype."""


class ShapeError(DistError, ValueError):
    """Ranks brought different shapes, dtypes or calls; the text lists each."""


class DataTypeError(DistError, TypeError):
    """Data of a type that the function does not take."""


class DeviceError(DistError, ValueError):
    """A device that is unknown or ambiguous."""


class ResultsError(DistError, ValueError):
    """Results that cannot be collected because they cannot be pickled."""


class RankFailedError(DistError, RuntimeError):
    """A rank started by ``launch`` raised, was killed, or did not end in time.

    Attributes:
        rank: the rank that failed first.
        traceback_text: its traceback, or "" where it left none (killed).
    """

    def __init__(self, text: str, *, rank: int = -1, traceback_text: str = "") -> None:
        super().__init__(text)
        self.rank = rank
        self.traceback_text = traceback_text


class PeerFailedError(DistError, RuntimeError):
    """This rank stops because another one failed first; the text names it.

    Attributes:
        rank: the rank that failed first.
    """

    def __init__(self, text: str, *, rank: int = -1) -> None:
        super().__init__(text)
        self.rank = rank
