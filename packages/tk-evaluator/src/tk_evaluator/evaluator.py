"""`Evaluator`: several metrics as one, during a run or over stored predictions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from itertools import islice
from typing import Any

from tk_registry import EVALUATOR, METRICS, check_values, count, value_rules
from tk_registry import Rule as ValueRule

from .bootstrap import Bootstrap
from .errors import LengthMismatchError, NotAMetricError, ResultNameError, SettingsError
from .metric import BaseMetric, Rule
from .metrics import ready
from .names import find_name, with_prefix
from .regroup import regroup


def _is_bootstrap(value: object) -> bool:
    return isinstance(value, Bootstrap)


@EVALUATOR.register_module()
@value_rules(spill_after=count(1), bootstrap=count(2) | ValueRule("a Bootstrap", _is_bootstrap))
class Evaluator:
    """Feeds each batch to every metric, and merges what they find.

    Args:
        metrics: a metric, the settings of one, or a sequence of these. Settings
            are mappings with ``type``, built from ``METRICS``.
        prefix: stands before every result name; what tells several data sets
            of one run apart.
        bootstrap: how often results are computed again over samples drawn with
            replacement, for error bars of 95 % as ``<name>_low`` and
            ``<name>_high``; a `Bootstrap` for another level; ``None`` for none.
        spill_after: entries that each metric may hold in memory on each rank;
            the others go to a temporary file. ``None`` keeps all in memory.
        spill_dir: where that file is made; ``None`` is the system's choice.
    """

    def __init__(
        self,
        metrics: Mapping[str, Any] | BaseMetric | Sequence[Mapping[str, Any] | BaseMetric],
        *,
        prefix: str | None = None,
        bootstrap: int | Bootstrap | None = None,
        spill_after: int | None = None,
        spill_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        check_values(Evaluator, locals(), SettingsError)
        entries = [metrics] if isinstance(metrics, (Mapping, BaseMetric)) else metrics
        self.metrics = [_metric_from(entry) for entry in entries]
        self.prefix = prefix
        self._dataset_meta: dict[str, Any] | None = None
        for metric in self.metrics:
            metric.bootstrap = Bootstrap(bootstrap) if isinstance(bootstrap, int) else bootstrap
        if spill_after is not None:
            for metric in self.metrics:
                metric.spill_to_disk(spill_after, spill_dir)

    @property
    def dataset_meta(self) -> dict[str, Any] | None:
        """Facts about the data set, such as its class names; every metric gets them."""
        return self._dataset_meta

    @dataset_meta.setter
    def dataset_meta(self, dataset_meta: dict[str, Any] | None) -> None:
        self._dataset_meta = dataset_meta
        for metric in self.metrics:
            metric.dataset_meta = dataset_meta

    def process(
        self,
        data_samples: Any,
        data_batch: Any = None,
        *,
        indices: Sequence[int] | None = None,
    ) -> None:
        """Give one batch to every metric.

        Args:
            data_samples: what the model returned: usually a sequence with one
                entry a sample. Entries with ``to_dict`` become dicts; anything
                else reaches the metrics as it is.
            data_batch: what the loader gave.
            indices: the samples' places in the data set. With them results come
                in the order of the data set, a sample met twice counts once, and
                missing ones are named; leave them out only on one rank, or where
                a round-robin sampler shares out the samples.

        Raises:
            MetricError: a metric raised; what all metrics collected is dropped.
        """
        # A list of dicts is told apart here: each call less is a tenth of collecting a batch.
        is_plain = type(data_samples) is list and data_samples and type(data_samples[0]) is dict
        samples = data_samples if is_plain else _as_dicts(data_samples)
        places: Sequence[int] | None = None
        if indices is not None:
            places = indices[:] if type(indices) is list else _as_ints(indices)
            if type(samples) is list and len(samples) != len(places):
                _check_count(samples, places)
        try:
            for metric in self.metrics:
                metric.observe(data_batch, samples, indices=places)
        except BaseException:
            self.reset()
            raise

    def evaluate(self, size: int) -> dict[str, Any]:
        """The results of all metrics by full name, the same on every rank.

        Collective: every rank calls it. Afterwards nothing is stored, also after
        an error.

        Args:
            size: samples in the data set.

        Raises:
            MetricError: a metric could not compute; on all ranks.
            ResultNameError: two metrics gave a result of the same name.
        """
        found: dict[str, Any] = {}
        owners: dict[str, BaseMetric] = {}
        try:
            for metric in self.metrics:
                results = with_prefix(self.prefix, metric.evaluate(size))
                if twice := sorted(results.keys() & found.keys()):
                    raise _same_name(twice, owners[twice[0]], metric)
                found.update(results)
                owners.update(dict.fromkeys(results, metric))
        finally:
            self.reset()
        return found

    def offline_evaluate(
        self, data_samples: Iterable[Any], data: Iterable[Any] | None = None, chunk_size: int = 1
    ) -> dict[str, Any]:
        """The results over stored predictions.

        Every rank may be given all of them: a sample counts once.

        Args:
            data_samples: the predictions, one entry a sample; an iterator is
                read chunk by chunk.
            data: what the loader would give for the same samples.
            chunk_size: samples given to the metrics at once.

        Raises:
            LengthMismatchError: predictions and data differ in number.
        """
        if chunk_size < 1:
            raise SettingsError(f"chunk_size={chunk_size} gives no samples; use 1 or more")
        _check_lengths(data_samples, data)
        self.reset()
        size = 0
        for samples, batch in _chunks(data_samples, data, chunk_size):
            places = range(size, size + len(samples))
            self.process(samples, None if batch is None else regroup(batch), indices=places)
            size += len(samples)
        return self.evaluate(size)

    def reset(self) -> None:
        """Forget what the metrics collected; a loop may call it before it starts."""
        for metric in self.metrics:
            metric.reset()

    def rule_of(self, indicator: str) -> Rule | None:
        """Whether a result should be greater or less, as its metric declares.

        Args:
            indicator: a full name, or its last part where that is enough.

        Returns:
            ``None`` where the metric does not say, or the name is not known
            before a first evaluation.
        """
        rules = self._rules()
        try:
            return rules[find_name(indicator, rules)]
        except ResultNameError:
            fitting = [
                metric for metric in self.metrics if indicator.startswith(self._stem(metric))
            ]
            known = {metric.rule_of(indicator[len(self._stem(metric)) :]) for metric in fitting}
            return known.pop() if len(known) == 1 else None

    def _rules(self) -> dict[str, Rule | None]:
        rules: dict[str, Rule | None] = {}
        for metric in self.metrics:
            declared = metric.greater_is_better
            names = {*metric.result_names, *(declared if isinstance(declared, Mapping) else ())}
            rules |= {self._stem(metric) + name: metric.rule_of(name) for name in names}
        return rules

    def _stem(self, metric: BaseMetric) -> str:
        return "".join(f"{prefix}/" for prefix in (self.prefix, metric.prefix) if prefix)


def _metric_from(entry: Any) -> BaseMetric:
    if isinstance(entry, Mapping):
        ready.register()
        entry = METRICS.build(entry)
    if isinstance(entry, BaseMetric):
        return entry
    raise NotAMetricError(
        f"a metric is expected, or a mapping with 'type', but got {type(entry).__name__}; derive "
        "the class from tk_evaluator.BaseMetric, or wrap a metric of torchmetrics in TorchMetric"
    )


def _as_dicts(data_samples: Any) -> Any:
    """The samples, with data containers as dicts; the same object where there are none."""
    if not isinstance(data_samples, (list, tuple)):
        return data_samples
    if not any(hasattr(kind, "to_dict") for kind in set(map(type, data_samples))):
        return data_samples
    return [sample.to_dict() if hasattr(sample, "to_dict") else sample for sample in data_samples]


def _check_count(samples: list[Any], indices: Sequence[int]) -> None:
    """Raise where predictions that are dicts, each for one sample, are not as many as these."""
    if samples and all(isinstance(sample, Mapping) for sample in samples):
        raise LengthMismatchError(
            f"the model returned {len(samples)} predictions for a batch of {len(indices)} samples; "
            "return one for each sample, or a mapping of whole columns"
        )


def _as_ints(indices: Any) -> Sequence[int]:
    """The indices as a sequence that nobody changes later."""
    if isinstance(indices, range):
        return indices
    return list(indices.tolist() if hasattr(indices, "tolist") else indices)


def _same_name(names: list[str], first: BaseMetric, second: BaseMetric) -> ResultNameError:
    return ResultNameError(
        f"the metrics {type(first).__name__} and {type(second).__name__} both give the result "
        f"{', '.join(map(repr, names))}; give one of them another prefix"
    )


def _check_lengths(data_samples: object, data: object) -> None:
    """Raise before anything is evaluated, where both lengths are known."""
    if not isinstance(data_samples, Sized) or not isinstance(data, Sized):
        return
    if len(data_samples) != len(data):
        raise _mismatch(len(data_samples), len(data))


def _mismatch(predictions: object, data: object) -> LengthMismatchError:
    return LengthMismatchError(
        f"there are {predictions} predictions but {data} entries of data; "
        "give one entry of data for each prediction, or none at all"
    )


def _chunks(
    data_samples: Iterable[Any], data: Iterable[Any] | None, chunk_size: int
) -> Iterator[tuple[list[Any], list[Any] | None]]:
    predictions = iter(data_samples)
    batches = None if data is None else iter(data)
    while True:
        samples = list(islice(predictions, chunk_size))
        # one more at the end shows data that goes on after the predictions
        batch = None if batches is None else list(islice(batches, max(len(samples), 1)))
        if batch is not None and len(batch) != len(samples):
            raise _mismatch(f"{len(samples)} more", f"{len(batch)} more")
        if not samples:
            return
        yield samples, batch
