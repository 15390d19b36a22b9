"""Datasets made of datasets: joined, repeated, balanced by category.

Any map-style dataset can be wrapped, another wrapper too. A wrapper has the
metainfo of what it wraps, and refuses subsets: take them before wrapping.
"""

from __future__ import annotations

import bisect
import copy
import itertools
import math
import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from torch.utils.data import ConcatDataset as TorchConcatDataset
from torch.utils.data import Dataset, IterableDataset

from tk_registry import DATASETS, at_least, check_values, count, value_rules

from ..errors import InvalidSettingsError
from .errors import EmptyDatasetError, MetainfoError
from .initialise import force_full_init
from .metainfo import difference


class _Wrapper(Dataset[Any]):
    """What all wrappers do; a subclass provides ``_parts`` and ``_located``."""

    _fully_initialized = False
    _metainfo: dict[str, Any]

    def _parts(self) -> list[Any]:
        raise NotImplementedError

    def _located(self, idx: int) -> tuple[Any, int]:
        """The wrapped dataset and the index in it that ``idx`` means."""
        raise NotImplementedError

    def _count(self) -> None:
        """Work out what depends on the sizes of the parts."""

    @property
    def metainfo(self) -> dict[str, Any]:
        """A deep copy of the metainfo of what is wrapped."""
        return copy.deepcopy(self._metainfo)

    @property
    def is_random(self) -> bool | None:
        """What the wrapped datasets declare; see ``StatefulDataLoader``."""
        declared = [getattr(part, "is_random", None) for part in self._parts()]
        if any(declared):
            return True
        return None if None in declared else False

    def full_init(self) -> None:
        """Initialise what is wrapped, unless that has happened."""
        if self._fully_initialized:
            return
        for part in self._parts():
            if hasattr(part, "full_init"):
                part.full_init()
        self._count()
        self._fully_initialized = True

    @force_full_init
    def get_data_info(self, idx: int) -> dict[str, Any]:
        """Annotation ``idx``, from the dataset that has it."""
        part, inner = self._located(self._position(idx))
        info: dict[str, Any] = part.get_data_info(inner)
        return info

    @force_full_init
    def get_cat_ids(self, idx: int) -> list[int]:
        """Categories of sample ``idx``, from the dataset that has it."""
        part, inner = self._located(self._position(idx))
        categories: list[int] = part.get_cat_ids(inner)
        return categories

    @force_full_init
    def __getitem__(self, idx: int) -> Any:
        part, inner = self._located(self._position(idx))
        return part[inner]

    def explain_size(self) -> str:
        """Which wrapper this is and what each wrapped dataset holds."""
        parts = "; ".join(
            part.explain_size() if hasattr(part, "explain_size") else _size_of(part)
            for part in self._parts()
        )
        return f"{type(self).__name__} has {len(self)} samples, of: {parts or 'no dataset'}"

    def _position(self, idx: int) -> int:
        position, size = operator.index(idx), len(self)
        if not -size <= position < size:
            if not size:
                raise EmptyDatasetError(self.explain_size())
            raise IndexError(f"index {position} is outside the {size} samples")
        return position % size

    def __len__(self) -> int:
        raise NotImplementedError

    def get_subset_(self, indices: int | Sequence[int]) -> None:
        """Refused: which of the wrapped samples would be meant is not clear."""
        self._refuse_subset()

    def get_subset(self, indices: int | Sequence[int]) -> Any:
        """Refused: which of the wrapped samples would be meant is not clear."""
        self._refuse_subset()

    def _refuse_subset(self) -> None:
        raise NotImplementedError(
            f"a subset of a {type(self).__name__} is ambiguous; take the subset of the wrapped "
            "dataset (indices=... in its config), or torch.utils.data.Subset"
        )


@DATASETS.register_module()
class ConcatDataset(_Wrapper, TorchConcatDataset[Any]):
    """Datasets one after another.

    Args:
        datasets: datasets or configs of them, at least one.
        lazy_init: initialise on first use.
        ignore_keys: metainfo that may differ; the first dataset's is kept.

    Raises:
        MetainfoError: the metainfo of two datasets differ; the text names the
            key and both values.
    """

    def __init__(
        self,
        datasets: Sequence[Dataset[Any] | Mapping[str, Any]],
        lazy_init: bool = False,
        ignore_keys: str | list[str] | None = None,
    ) -> None:
        if ignore_keys is not None and not isinstance(ignore_keys, (str, list)):
            raise TypeError(
                f"ignore_keys must be a name or a list of names, not {type(ignore_keys).__name__}"
            )
        self.ignore_keys = [ignore_keys] if isinstance(ignore_keys, str) else ignore_keys or []
        self.datasets: list[Any] = [_built(dataset) for dataset in datasets]
        if not self.datasets:
            raise MetainfoError("ConcatDataset of no datasets; give at least one")
        self._metainfo = _metainfo_of(self.datasets[0])
        self._check_metainfo()
        if not lazy_init:
            self.full_init()

    def _check_metainfo(self) -> None:
        first = self._without_ignored(self._metainfo)
        for position, dataset in enumerate(self.datasets[1:], 1):
            found = difference(first, self._without_ignored(_metainfo_of(dataset)))
            if found:
                raise MetainfoError(
                    f"the metainfo of dataset 0 and dataset {position} differ: {found}. "
                    "Make them equal, or name the key in ignore_keys to keep dataset 0's"
                )

    def _without_ignored(self, metainfo: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in metainfo.items() if key not in self.ignore_keys}

    def _parts(self) -> list[Any]:
        return self.datasets

    def _count(self) -> None:
        self.cumulative_sizes = list(itertools.accumulate(len(part) for part in self.datasets))

    def _located(self, idx: int) -> tuple[Any, int]:
        part = bisect.bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[part - 1] if part else 0
        return self.datasets[part], idx - before

    @force_full_init
    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


@DATASETS.register_module()
@value_rules(times=count(0))
class RepeatDataset(_Wrapper):
    """A dataset ``times`` times over: a longer epoch.

    Args:
        dataset: a dataset or the config of one.
        times: 0 or more.
        lazy_init: initialise on first use.
    """

    def __init__(
        self, dataset: Dataset[Any] | Mapping[str, Any], times: int, lazy_init: bool = False
    ) -> None:
        check_values(RepeatDataset, locals(), InvalidSettingsError)
        self.dataset = _built(dataset)
        self.times = times
        self._metainfo = _metainfo_of(self.dataset)
        if not lazy_init:
            self.full_init()

    def _parts(self) -> list[Any]:
        return [self.dataset]

    def _located(self, idx: int) -> tuple[Any, int]:
        return self.dataset, idx % len(self.dataset)

    @force_full_init
    def __len__(self) -> int:
        return self.times * len(self.dataset)


@DATASETS.register_module()
@value_rules(oversample_thr=at_least(0))
class ClassBalancedDataset(_Wrapper):
    """A dataset whose samples with rare categories come more than once.

    A category c that is in the share f(c) of the samples has the factor
    ``max(1, sqrt(oversample_thr / f(c)))``; a sample comes ``ceil`` of the
    largest factor of its categories times, once without categories. The rule
    is that of LVIS (Gupta, Dollar, Girshick 2019).

    Args:
        dataset: a dataset with ``get_cat_ids``, or the config of one.
        oversample_thr: categories below this share are repeated.
        lazy_init: initialise on first use.
    """

    repeat_indices: list[int]

    def __init__(
        self,
        dataset: Dataset[Any] | Mapping[str, Any],
        oversample_thr: float,
        lazy_init: bool = False,
    ) -> None:
        check_values(ClassBalancedDataset, locals(), InvalidSettingsError)
        self.dataset = _built(dataset)
        self.oversample_thr = oversample_thr
        self._metainfo = _metainfo_of(self.dataset)
        if not lazy_init:
            self.full_init()

    def _parts(self) -> list[Any]:
        return [self.dataset]

    def _count(self) -> None:
        if not hasattr(self.dataset, "get_cat_ids"):
            raise TypeError(
                f"{type(self.dataset).__name__} has no get_cat_ids(idx), which says what "
                "categories a sample has; ClassBalancedDataset needs it"
            )
        categories = [set(self.dataset.get_cat_ids(idx)) for idx in range(len(self.dataset))]
        self.repeat_indices = [
            idx
            for idx, times in enumerate(repeats(categories, self.oversample_thr))
            for _ in range(times)
        ]

    def _located(self, idx: int) -> tuple[Any, int]:
        return self.dataset, self.repeat_indices[idx]

    @force_full_init
    def __len__(self) -> int:
        return len(self.repeat_indices)


def repeats(categories: Sequence[set[int]], threshold: float) -> list[int]:
    """How often each sample comes; see ``ClassBalancedDataset``."""
    counts = Counter(category for present in categories for category in present)
    factor = {
        category: max(1.0, math.sqrt(threshold * len(categories) / count))
        for category, count in counts.items()
    }
    return [
        math.ceil(max((factor[category] for category in present), default=1.0))
        for present in categories
    ]


def _built(dataset: Dataset[Any] | Mapping[str, Any]) -> Any:
    """The dataset itself, or what its config builds."""
    built = DATASETS.build(dataset) if isinstance(dataset, Mapping) else dataset
    if not isinstance(built, Dataset) or isinstance(built, IterableDataset):
        raise TypeError(
            f"a map-style dataset or a config of one is needed, not {type(built).__name__}"
        )
    return built


def _metainfo_of(dataset: Any) -> dict[str, Any]:
    metainfo: dict[str, Any] = getattr(dataset, "metainfo", {})
    return metainfo


def _size_of(dataset: Any) -> str:
    return f"{type(dataset).__name__} with {len(dataset)}"
