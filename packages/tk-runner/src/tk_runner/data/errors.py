"""What can be wrong with data; each error is also the built-in that callers catch."""

from __future__ import annotations

from ..errors import InvalidSettingsError, RunnerError


class AnnotationError(RunnerError, ValueError, TypeError, AssertionError):
    """Annotations that are not as the dataset reads them."""


class CollateError(RunnerError, RuntimeError, LookupError):
    """Samples that cannot be put into one batch."""


class EmptyDatasetError(RunnerError, IndexError, ValueError):
    """There is no sample; the text says which dataset, from where, and what filtered it."""


class LoaderSettingsError(InvalidSettingsError, TypeError):
    """Options of a loader that cannot work."""


class MetainfoError(RunnerError, ValueError, TypeError):
    """Metainfo of a wrong kind, or datasets that disagree on it; the text names the key."""


class PositionError(RunnerError, ValueError):
    """A saved position that does not fit this loader."""


class SampleError(RunnerError, RuntimeError):
    """A sample that the pipeline cannot use; the text names it."""


class WorkerError(RunnerError, RuntimeError):
    """A data-loading process that died or gave no answer in time."""
