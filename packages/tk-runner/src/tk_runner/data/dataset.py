"""``BaseDataset``: annotations, a filter, a selection and a pipeline.

Initialising reads the annotations, filters them, keeps the wished ones and
packs them so that worker processes share them; a lazy dataset does all that
when it is first used. Two datasets share nothing that can be changed.
"""

from __future__ import annotations

import copy
import logging
import operator
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from torch.utils.data import Dataset

from tk_registry import check_values, count, one_of, value_rules

from ..errors import InvalidSettingsError
from .annotations import below_root, joined, read_annotations
from .compose import Compose, Transform
from .errors import AnnotationError, EmptyDatasetError, SampleError
from .initialise import force_full_init, logger
from .metainfo import read_metainfo
from .record_store import RecordStore, chosen_positions
from .sample_reader import name_sample

Self = TypeVar("Self", bound="BaseDataset")


_FLAG = one_of(True, False)


@value_rules(serialize_data=_FLAG, test_mode=_FLAG, lazy_init=_FLAG, max_refetch=count(0))
class BaseDataset(Dataset[Any]):
    """A map-style dataset around a list of annotations and a pipeline.

    Args:
        ann_file: file with ``metainfo`` and ``data_list``, read with
            ``tk_fileio.load``; joined with ``data_root`` unless absolute or a URI.
            A pickle is read only inside ``tk_fileio.trust_pickles()``.
        metainfo: facts about the dataset; wins over the class attribute
            ``METAINFO``, which wins over the file.
        data_root: root of ``ann_file`` and of the prefixes.
        data_prefix: key of an annotation to the folder of its value. Every
            annotation must have the keys named here; the default,
            ``{"img_path": ""}``, is applied where the key is there.
        filter_cfg: for the ``filter_data`` of a subclass.
        indices: keep the first n (the last n if negative), or these positions.
        serialize_data: pack the annotations so that workers share them.
        pipeline: transforms, or configs of them.
        test_mode: a sample that the pipeline refuses is an error, not replaced.
        lazy_init: initialise on first use.
        max_refetch: how many other samples to try in place of a refused one.
    """

    METAINFO: Mapping[str, Any] = {}
    _fully_initialized: bool = False

    def __init__(
        self,
        ann_file: str | os.PathLike[str] | None = "",
        metainfo: Mapping[str, Any] | None = None,
        data_root: str | os.PathLike[str] | None = "",
        data_prefix: Mapping[str, str] | None = None,
        filter_cfg: Mapping[str, Any] | None = None,
        indices: int | Sequence[int] | None = None,
        serialize_data: bool = True,
        pipeline: Sequence[Mapping[str, Any] | Transform] = (),
        test_mode: bool = False,
        lazy_init: bool = False,
        max_refetch: int = 1000,
    ) -> None:
        check_values(BaseDataset, locals(), InvalidSettingsError)
        self.ann_file = os.fspath(ann_file or "")
        self._metainfo = self._load_metainfo(copy.deepcopy(metainfo))
        self.data_root = os.fspath(data_root or "")
        self._prefix_is_default = data_prefix is None
        prefix = {"img_path": ""} if data_prefix is None else data_prefix
        self.data_prefix: dict[str, Any] = copy.copy(dict(prefix))
        self.filter_cfg = copy.deepcopy(filter_cfg)
        self._indices = copy.copy(indices)
        self.serialize_data = serialize_data
        self.test_mode = test_mode
        self.max_refetch = max_refetch
        self.data_list: list[dict[str, Any]] = []
        self._records: RecordStore | None = None
        self._counts: dict[str, int] = {}
        self._num_refused = 0
        self._join_prefix()
        self.pipeline = Compose(pipeline)
        if not lazy_init:
            self.full_init()

    # ---- initialising

    def full_init(self) -> None:
        """Read, filter, select and pack the annotations, unless that has happened."""
        if self._fully_initialized:
            return
        self.data_list = self.load_data_list()
        self._counts = {"read": len(self.data_list)}
        if self.filter_cfg and type(self).filter_data is BaseDataset.filter_data:
            logger.warning(
                "filter_cfg=%r has no effect: %s does not override filter_data()",
                self.filter_cfg,
                type(self).__name__,
            )
        self.data_list = self.filter_data()
        self._counts["left by filter_data()"] = len(self.data_list)
        if self._indices is not None:
            self.data_list = self._get_unserialized_subset(self._indices)
            self._counts["kept by indices"] = len(self.data_list)
        if self.serialize_data:
            self._records = self._serialize_data()
            self.data_list = []
        self._fully_initialized = True
        if len(self) == 0:
            logger.warning("%s", self.explain_size())

    def load_data_list(self) -> list[dict[str, Any]]:
        """All annotations of ``ann_file``, each through ``parse_data_info``.

        Raises:
            AnnotationError: the file or what ``parse_data_info`` returns is not as described.
            FileNotFoundError: the file is not there.
        """
        if not self.ann_file:
            raise AnnotationError(
                f"{type(self).__name__} has no ann_file; pass ann_file=..., "
                "or override load_data_list()"
            )
        metainfo, data_list = read_annotations(self.ann_file)
        for key, value in metainfo.items():
            self._metainfo.setdefault(key, value)
        return self._parsed(data_list)

    def _parsed(self, data_list: list[Any]) -> list[dict[str, Any]]:
        """Every annotation through ``parse_data_info``; an error names the one it is about."""
        infos: list[dict[str, Any]] = []
        parse, position = self.parse_data_info, 0
        try:
            for position, raw in enumerate(data_list):
                info = parse(raw)
                if type(info) is dict:
                    infos.append(info)
                else:
                    infos.extend(_dicts(info, type(self).__name__, position))
        except Exception as error:
            name_sample(error, f"annotation {position} of {self.ann_file}")
            raise
        return infos

    def parse_data_info(
        self, raw_data_info: dict[str, Any]
    ) -> dict[str, Any] | list[dict[str, Any]]:
        """One annotation as samples; here, with every prefix joined to its value."""
        for key, prefix in self.data_prefix.items():
            if key in raw_data_info:
                if prefix:
                    raw_data_info[key] = joined(prefix, raw_data_info[key])
            elif not self._prefix_is_default:
                raise AnnotationError(
                    f"data_prefix names {key!r}, and an annotation has only "
                    f"{sorted(map(str, raw_data_info))}; correct data_prefix or the annotations"
                )
        return raw_data_info

    def filter_data(self) -> list[dict[str, Any]]:
        """The annotations to keep, of ``self.data_list``; here, all."""
        return self.data_list

    def explain_size(self) -> str:
        """Which dataset this is, from where, and how many samples each step left."""
        steps = ", ".join(f"{number} {step}" for step, number in self._counts.items())
        filtered = f", filter_cfg={self.filter_cfg!r}" if self.filter_cfg else ""
        wished = f", indices={_short(self._indices)}" if self._indices is not None else ""
        return (
            f"{type(self).__name__}(ann_file={self.ann_file!r}, data_root={self.data_root!r}"
            f"{filtered}{wished}) has {self._size()} samples: {steps or 'not initialised'}"
        )

    # ---- reading

    @property
    def metainfo(self) -> dict[str, Any]:
        """A deep copy of the facts about the dataset."""
        return copy.deepcopy(self._metainfo)

    @property
    def is_random(self) -> bool:
        """Whether samples need random numbers of their own; see ``StatefulDataLoader``.

        What the transforms declare; those that say nothing count as random,
        in test mode as not. A subclass may set its own class attribute.
        """
        declared = self.pipeline.is_random
        return not self.test_mode if declared is None else declared

    @property
    def data_bytes(self) -> np.ndarray[Any, Any]:
        """The packed annotations; empty where they are not packed."""
        return (self._records or RecordStore.pack(())).data.numpy()

    @property
    def data_address(self) -> np.ndarray[Any, Any]:
        """Position behind each packed annotation."""
        return (self._records or RecordStore.pack(())).ends.numpy()

    def _size(self) -> int:
        return len(self._records if self._records is not None else self.data_list)

    @force_full_init
    def __len__(self) -> int:
        return self._size()

    @force_full_init
    def get_data_info(self, idx: int) -> dict[str, Any]:
        """A fresh copy of annotation ``idx``, with its position as ``sample_idx``.

        Raises:
            IndexError: there is no such annotation.
        """
        position = self._position(idx)
        if self._records is not None:
            info: dict[str, Any] = self._records[position]
        else:
            info = copy.deepcopy(self.data_list[position])
        info["sample_idx"] = position
        return info

    def _position(self, idx: int) -> int:
        position, size = operator.index(idx), self._size()
        if not -size <= position < size:
            if not size:
                raise EmptyDatasetError(self.explain_size())
            raise IndexError(f"index {position} is outside the {size} samples")
        return position % size

    def get_cat_ids(self, idx: int) -> list[int]:
        """Categories of sample ``idx``; for ``ClassBalancedDataset``."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say which categories a sample has; "
            "override get_cat_ids(idx)"
        )

    def prepare_data(self, idx: int) -> Any:
        """Sample ``idx`` through the pipeline; ``None`` where the pipeline refuses it."""
        return self.pipeline(self.get_data_info(idx))

    def __getitem__(self, idx: int) -> Any:
        """Sample ``idx``; in training another one where the pipeline refuses it.

        Raises:
            SampleError: the pipeline refused the sample in test mode, or it and
                ``max_refetch`` others.
        """
        if not self._fully_initialized:
            logger.warning(
                "%s is lazy and is initialised by its first sample; "
                "with workers each one does so. Call full_init() first",
                type(self).__name__,
            )
            self.full_init()
        position = self._position(idx)
        data = self.prepare_data(position)
        if data is not None:
            return data
        if self.test_mode:
            raise SampleError(
                f"the pipeline returned None for sample {position} of {type(self).__name__}; "
                "in test mode every sample must be usable"
            )
        for _ in range(self.max_refetch):
            self._note_refused(position)
            position = self._rand_another()
            data = self.prepare_data(position)
            if data is not None:
                return data
        raise SampleError(
            f"the pipeline returned None for sample {idx} of {type(self).__name__} and for "
            f"{self.max_refetch} others in its place (max_refetch); check the pipeline"
        )

    def _note_refused(self, position: int) -> None:
        """Count, and say so at the 1st, 10th, 100th, ... in this process."""
        self._num_refused += 1
        count = str(self._num_refused)
        level = logging.WARNING if count.rstrip("0") == "1" else logging.DEBUG
        logger.log(
            level,
            "the pipeline returned None for sample %d of %s (%s so far); another one is taken",
            position,
            type(self).__name__,
            count,
        )

    def _rand_another(self) -> int:
        """Another index, by NumPy's global generator, which a ``StatefulDataLoader`` seeds."""
        return int(np.random.randint(0, len(self)))

    # ---- subsets

    @force_full_init
    def get_subset_(self, indices: int | Sequence[int]) -> None:
        """Keep only these samples.

        Args:
            indices: the first n, the last n if negative (all where n is larger),
                or a sequence of positions.

        Raises:
            TypeError: neither an integer nor a sequence of integers.
            IndexError: a position outside.
        """
        if self._records is not None:
            self._records = self._get_serialized_subset(indices)
        else:
            self.data_list = self._get_unserialized_subset(indices)
        self._counts["kept by get_subset"] = self._size()

    @force_full_init
    def get_subset(self: Self, indices: int | Sequence[int]) -> Self:
        """A new dataset with these samples; it shares nothing with this one."""
        subset = self._copy_without_annotation()
        if self._records is not None:
            subset._records = self._get_serialized_subset(indices)
        else:
            subset.data_list = copy.deepcopy(self._get_unserialized_subset(indices))
        subset._counts["kept by get_subset"] = subset._size()
        return subset

    def _get_serialized_subset(self, indices: int | Sequence[int]) -> RecordStore:
        assert self._records is not None  # noqa: S101
        return self._records.select(chosen_positions(indices, len(self._records)))

    def _get_unserialized_subset(self, indices: int | Sequence[int]) -> list[dict[str, Any]]:
        return [self.data_list[at] for at in chosen_positions(indices, len(self.data_list))]

    def _serialize_data(self) -> RecordStore:
        return RecordStore.pack(self.data_list)

    def _copy_without_annotation(self: Self) -> Self:
        """A deep copy of everything but the annotations."""
        other = type(self).__new__(type(self))
        memo: dict[int, Any] = {}
        for name, value in self.__dict__.items():
            if name not in ("data_list", "_records"):
                other.__dict__[name] = copy.deepcopy(value, memo)
        other.data_list, other._records = [], None
        return other

    # ---- paths and metainfo

    def _join_prefix(self) -> None:
        self.ann_file = self._below_root(self.ann_file) if self.ann_file else ""
        for key, prefix in self.data_prefix.items():
            if not isinstance(prefix, (str, os.PathLike)):
                raise AnnotationError(
                    f"data_prefix[{key!r}] must be a path, not {type(prefix).__name__}"
                )
            self.data_prefix[key] = self._below_root(os.fspath(prefix))

    def _below_root(self, path: str) -> str:
        return below_root(self.data_root, path)

    @classmethod
    def _load_metainfo(cls, metainfo: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return read_metainfo(metainfo, cls.METAINFO)


def _dicts(info: Any, dataset: str, position: int) -> list[dict[str, Any]]:
    """What ``parse_data_info`` made of one annotation, as a list of samples."""
    infos = info if isinstance(info, list) else [info]
    for entry in infos:
        if not isinstance(entry, dict):
            raise AnnotationError(
                f"parse_data_info() of {dataset} gave {type(entry).__name__} for annotation "
                f"{position}; it must return a dict, or a list of dicts"
            )
    return infos


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}..."
