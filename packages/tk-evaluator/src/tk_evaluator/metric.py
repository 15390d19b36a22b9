"""`BaseMetric`: collect something for each sample, compute once over all of it.

A subclass writes `process` and `compute_metrics` and knows nothing of ranks.
Entries are tagged with their samples by watching `process` (see
``sample_tags.py``); rank 0 computes over the entries of all ranks in the order
of the data set, and every rank gets the same answer or the same error.
"""

from __future__ import annotations

import logging
import os
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from tk_registry import check_values, value_rules

from .arrangement import Plan
from .bootstrap import Bootstrap
from .errors import MetricError, SettingsError, builtin_type, like
from .gather import Route, gather, gather_spilled
from .json_ready import json_ready
from .names import with_prefix
from .outcome import from_every_rank, from_rank_0
from .sample_tags import SampleTags, Share, num_samples_of
from .spill import SpillFile
from .to_cpu import results_to_cpu

logger = logging.getLogger("tk.evaluator")

Rule = Literal["greater", "less"]


@dataclass(frozen=True)
class _SpillRule:
    """When entries leave memory, and for where."""

    after: int
    folder: str | None


def _collecting_problems(collect_device: str, collect_dir: str | None) -> Iterator[tuple[str, str]]:
    if collect_dir is not None and collect_device != "cpu":
        yield (
            "collect_dir",
            (
                f"collect_dir={collect_dir!r} goes through files, which "
                f"collect_device={collect_device!r} does not; leave one of the two out"
            ),
        )


@value_rules(_collecting_problems)
class BaseMetric(ABC):
    """Collects entries by batch on every rank, computes over all of them on rank 0.

    Args:
        collect_device: how the ranks' entries travel; ``"cpu"`` or the kind of
            an accelerator.
        prefix: stands before each result name, as ``prefix/name``. Without one
            the class's `default_prefix` is used; with neither, names are bare
            and a warning is logged.
        collect_dir: a folder that all ranks see, to go through files; only with
            ``collect_device="cpu"``, and never needed.

    Attributes:
        results: what `process` has stored since the last evaluation on this
            rank; inside `compute_metrics`, what all ranks stored. Where entries
            go to disk (see `spill_to_disk`), it holds the latest ones only.
        default_prefix: the prefix where none is given.
        greater_is_better: whether a larger result is the better one: for all
            results, or by result name (without prefix). ``None`` leaves the
            question open.
        bootstrap: error bars for each result, as ``<name>_low`` and
            ``<name>_high``; ``None`` for none. Needs one entry a sample.
        per_sample: ``True`` promises one entry for each sample, ``False`` says
            that entries are something else; ``None`` finds out by watching.
    """

    default_prefix: str | None = None
    greater_is_better: bool | Mapping[str, bool] | None = None
    per_sample: bool | None = None
    _has_results: ClassVar[bool] = True

    def __init__(
        self, collect_device: str = "cpu", prefix: str | None = None, collect_dir: str | None = None
    ) -> None:
        check_values(BaseMetric, locals(), SettingsError)
        self.collect_device = collect_device
        self.collect_dir = collect_dir
        self.prefix = prefix or self.default_prefix
        self.results: list[Any] = []
        self.result_names: tuple[str, ...] = ()
        self._dataset_meta: dict[str, Any] | None = None
        self._tags = SampleTags(self.per_sample)
        self._reported: set[str] = set()  # results of which it was said that they are no numbers
        self._spill_rule: _SpillRule | None = None
        self.bootstrap: Bootstrap | None = None
        self._spilled: SpillFile | None = None
        if self.prefix is None and self._has_results:
            logger.warning(
                "the metric %s has no prefix, so its results may meet others of the same name; "
                "give prefix=..., or the class a default_prefix",
                type(self).__name__,
            )

    @property
    def dataset_meta(self) -> dict[str, Any] | None:
        """Facts about the data set, such as its class names."""
        return self._dataset_meta

    @dataset_meta.setter
    def dataset_meta(self, dataset_meta: dict[str, Any] | None) -> None:
        self._dataset_meta = dataset_meta

    @abstractmethod
    def process(self, data_batch: Any, data_samples: Sequence[dict[str, Any]]) -> None:
        """Append to ``self.results`` what one batch contributes: best, one entry a sample.

        Args:
            data_batch: what the loader gave.
            data_samples: what the model returned for it.
        """

    @abstractmethod
    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        """The results by name, computed from the entries of all ranks; runs on rank 0 only."""

    def observe(
        self, data_batch: Any, data_samples: Any, *, indices: Sequence[int] | None = None
    ) -> None:
        """`process`, and remember which samples the new entries belong to.

        Args:
            data_batch: passed on.
            data_samples: passed on.
            indices: the samples' places in the data set, one for each sample.

        Raises:
            MetricError: `process` raised; what was collected is dropped.
        """
        before = len(self.results)
        # The usual batch is a list; asking a function costs a tenth of noting it.
        if indices is not None:
            num_samples: int | None = len(indices)
        else:
            is_list = type(data_samples) is list
            num_samples = len(data_samples) if is_list else num_samples_of(data_samples)
        try:
            self.process(data_batch, data_samples)
            self._tags.note(len(self.results) - before, indices, num_samples)
        except Exception as error:
            stored = len(self.results) - before
            self.reset()
            raise like(builtin_type(error), self._says(error, _where(indices, stored))) from error
        if self._spill_rule is not None and len(self.results) >= self._spill_rule.after:
            self._spill(self._spill_rule)

    def evaluate(self, size: int) -> dict[str, Any]:
        """The named results over all ranks, the same on each; then nothing is stored any more.

        Collective: every rank calls it.

        Args:
            size: samples in the data set. Padding beyond it is cut where samples
                carry no index; what is missing from it is reported.

        Returns:
            Plain values, ready for JSON.

        Raises:
            MetricError: `compute_metrics` raised on rank 0, or a rank could not
                bring its entries; raised on all ranks.
        """
        try:
            results = self._evaluated(size)
        finally:
            self.reset()
        self.result_names = tuple(results)
        return with_prefix(self.prefix, results)

    def spill_to_disk(self, after: int, folder: str | os.PathLike[str] | None = None) -> None:
        """Keep at most ``after`` entries in memory, and the others in a temporary file.

        `compute_metrics` then gets a sequence that reads an entry when it is
        asked for, not a list; one pass over it needs the memory of one entry.

        Args:
            after: entries that may be in memory on each rank.
            folder: where the file is made; ``None`` is the system's choice.
        """
        if after < 1:
            raise SettingsError(f"spilling after {after} entries is not possible; use 1 or more")
        self._spill_rule = _SpillRule(after, None if folder is None else os.fspath(folder))

    def reset(self) -> None:
        """Forget what was collected since the last evaluation."""
        self.results = []
        self._tags = SampleTags(self.per_sample)
        self._spilled = None

    def rule_of(self, name: str) -> Rule | None:
        """Whether the result ``name`` (without prefix) should be greater or less."""
        known = self.greater_is_better
        is_greater = known.get(name) if isinstance(known, Mapping) else known
        return None if is_greater is None else "greater" if is_greater else "less"

    def _evaluated(self, size: int) -> dict[str, Any]:
        plan = Plan(from_every_rank(self._share, describe=self._says), size)
        if plan.is_spilled:
            folder = self._spill_rule.folder if self._spill_rule else None
            own = self.results if self._spilled is None else self._spilled
            arrival = gather_spilled(own, self._tags, plan, folder)
        else:
            arrival = gather(
                self.results, self._tags, plan, Route(self.collect_device, self.collect_dir)
            )

        def computed() -> dict[str, Any]:
            assert arrival is not None  # noqa: S101  # this runs on rank 0 only
            results, doubt = arrival()
            if plan.total == 0:
                doubt = _NOTHING
            if doubt is not None:
                logger.warning("%s: %s", type(self).__name__, doubt)
            found = self._computed(results)
            return {**found, **self._bars(results, plan)}

        return from_rank_0(computed, describe=lambda error: self._says(error, _over(plan.total)))

    def _share(self) -> Share:
        """Make this rank's entries ready to travel, and sum them up."""
        if self._spilled is not None and self._spill_rule is not None:
            self._spill(self._spill_rule)
            return self._tags.share(len(self._spilled), is_spilled=True)
        self.results = results_to_cpu(self.results)
        return self._tags.share(len(self.results))

    def _spill(self, rule: _SpillRule) -> None:
        if self._spilled is None:
            self._spilled = SpillFile(rule.folder)
        self._spilled.extend(results_to_cpu(self.results))
        self.results = []

    def _bars(self, results: Sequence[Any], plan: Plan) -> dict[str, float]:
        """The error bars that were asked for, as far as entries can be drawn."""
        if self.bootstrap is None or not self._has_results or not len(results):
            return {}
        if plan.kind not in ("indexed", "per sample"):
            logger.warning(
                "%s: error bars need one stored result for each sample, so there are none",
                type(self).__name__,
            )
            return {}
        return self.bootstrap.bars(self._computed, results)

    def _computed(self, results: Sequence[Any]) -> dict[str, Any]:
        self.results = results  # type: ignore[assignment]  # a lazy sequence where spilled
        found: object = self.compute_metrics(self.results)
        if not isinstance(found, Mapping):
            raise MetricError(
                f"compute_metrics returned {type(found).__name__}, not a dict; "
                "return the results by name, or {} for none"
            )
        ready: dict[str, Any] = json_ready(found)
        self._report_what_is_no_number(ready)
        return ready

    def _report_what_is_no_number(self, results: Mapping[str, Any]) -> None:
        """Say once of each result that only those who call `evaluate` will see it."""
        for name, value in results.items():
            if isinstance(value, (int, float)) or name in self._reported:
                continue
            self._reported.add(name)
            logger.warning(
                "%s: the result %r is not a number but %s, a %s: it is returned, and log lines, "
                "curves and the choice of a best checkpoint leave it out",
                type(self).__name__, name, reprlib.repr(value), type(value).__name__,
            )  # fmt: skip

    def _says(self, error: Exception, where: str = "") -> str:
        return f"the metric {type(self).__name__} failed{where}: {type(error).__name__}: {error}"


_NOTHING = (
    "no rank stored any result; is the data set empty, was process never called, "
    "or does it append nothing to self.results?"
)


def _over(total: int) -> str:
    return f" over {total} results" if total else f" over an empty result set ({_NOTHING})"


def _where(indices: Sequence[int] | None, stored: int) -> str:
    """Which sample a failing ``process`` was at, judged by what it had stored."""
    if indices is None:
        return f" after storing {stored} results of a batch"
    if not len(indices):
        return " at a batch without samples"
    at = indices[min(stored, len(indices) - 1)]
    listed = ", ".join(map(str, list(indices)[:8])) + (", ..." if len(indices) > 8 else "")
    return f" at sample {at}, or another of its batch ({listed})"
