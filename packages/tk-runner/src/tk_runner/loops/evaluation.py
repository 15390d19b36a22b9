"""What validation and test share: predict every batch, hand it to the evaluator with its indices.

Each sample is predicted once on one rank: evaluation loaders do not pad, and
each prediction carries its sample's index to the metrics, so the result does
not depend on the number of ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from tk_optim import autocast

from ..data import Batch, StatefulLoader
from ..errors import InvalidSettingsError
from ..interfaces.run import RunLike
from .loop import BaseLoop
from .losses import MeanLosses, count_samples, split_losses


@dataclass
class EvaluationSet:
    """A loader with its evaluator; ``name`` tells several of them apart."""

    name: str
    dataloader: StatefulLoader
    evaluator: Any


class EvaluationLoop(BaseLoop):
    """Predicts without gradients and evaluates.

    Args:
        runner: the run that this loop belongs to.
        dataloader: a loader or the config of one; or a mapping from a name to
            either, for several sets of data.
        evaluator: an evaluator, a metric or the config of either; with several
            sets, a mapping with the same names. ``None`` reports losses only.
        fp16: predict under autocast.
    """

    mode = ""

    def __init__(
        self, runner: RunLike, dataloader: Any, evaluator: Any, fp16: bool = False
    ) -> None:
        named = _by_name(dataloader, evaluator)
        first = next(iter(named.values()))
        super().__init__(runner, first[0])
        self.fp16 = fp16
        self.is_complete = False  # whether all metrics of the latest pass are known
        loaders = [
            self.dataloader,
            *(runner.build_dataloader(one) for one, _ in [*named.values()][1:]),
        ]
        self.sets = [
            EvaluationSet(name, loader, runner.build_evaluator(judge))
            for (name, (_, judge)), loader in zip(named.items(), loaders, strict=True)
        ]
        for part in self.sets:
            _require_length(part.dataloader, self.mode)
        self.evaluator = self.sets[0].evaluator

    @property
    def num_batches(self) -> int:
        """Batches of all sets together, on this rank."""
        return sum(len(part.dataloader) for part in self.sets)

    def rule_of(self, metric: str) -> str | None:
        """``greater`` or ``less``, as the metric's evaluator declares; None where it does not."""
        for part in self.sets:
            prefix = f"{part.name}/" if part.name else ""
            if part.evaluator is not None and metric.startswith(prefix):
                rule: str | None = part.evaluator.rule_of(metric.removeprefix(prefix))
                if rule is not None:
                    return rule
        return None

    def end_workers(self) -> None:
        """End the data-loading processes of every set that are still there."""
        for part in self.sets:
            part.dataloader.end_workers()

    def run(self) -> dict[str, Any]:
        """Evaluate every set; the metrics of several sets carry the set's name in front."""
        runner, mode = self._runner, self.mode
        self.is_complete = False
        runner.message_hub.open_window(mode)
        runner.call_hook(f"before_{mode}")
        runner.call_hook(f"before_{mode}_epoch")
        metrics: dict[str, Any] = {}
        done = 0
        with _evaluating(runner.model):
            for part in self.sets:
                found = self._run_set(part, done)
                done += len(part.dataloader)
                prefix = f"{part.name}/" if part.name else ""
                metrics.update({f"{prefix}{key}": value for key, value in found.items()})
        self.is_complete = True
        runner.call_hook(f"after_{mode}_epoch", metrics=metrics)
        runner.call_hook(f"after_{mode}")
        return metrics

    def _run_set(self, part: EvaluationSet, done: int) -> dict[str, Any]:
        losses = MeanLosses()
        self._announce_dataset(part)
        part.dataloader.set_epoch(0)
        for idx, batch in enumerate(part.dataloader.batches(), done):
            self._run_batch(part, losses, idx, batch)
            self._runner.stop_if_requested()
        self._runner.wait_for_ranks()
        found: dict[str, Any] = {}
        if part.evaluator is not None:
            found.update(part.evaluator.evaluate(len(part.dataloader.dataset)))
        found.update(losses.summary(self.mode))
        return found

    def _announce_dataset(self, part: EvaluationSet) -> None:
        meta = getattr(part.dataloader.dataset, "metainfo", None)
        if meta is not None:
            self._runner.visualizer.dataset_meta = meta
            if part.evaluator is not None:
                part.evaluator.dataset_meta = meta

    @torch.no_grad()
    def _run_batch(self, part: EvaluationSet, losses: MeanLosses, idx: int, batch: Batch) -> None:
        runner, mode = self._runner, self.mode
        data, indices = batch
        runner.call_hook(f"before_{mode}_iter", batch_idx=idx, data_batch=data)
        with autocast(enabled=self.fp16):
            outputs = getattr(runner.model, f"{mode}_step")(data)
        outputs, loss = split_losses(outputs)
        if loss is not None:
            count = count_samples(data, outputs) if indices is None else len(indices)
            losses.add(loss, count)
        if part.evaluator is not None:
            part.evaluator.process(data_samples=outputs, data_batch=data, indices=indices)
        runner.call_hook(f"after_{mode}_iter", batch_idx=idx, data_batch=data, outputs=outputs)


def _require_length(dataloader: Any, mode: str) -> None:
    """Progress and the end of an evaluation are counted, and so are its results."""
    try:
        len(dataloader)
    except TypeError as error:
        raise InvalidSettingsError(
            f"the {mode} loader needs a length ({error}); give its dataset a __len__"
        ) from error


def is_several_sets(dataloader: Any) -> bool:
    """Whether a mapping holds loaders by name rather than the arguments of one loader."""
    if not isinstance(dataloader, Mapping) or not dataloader or "dataset" in dataloader:
        return False
    return all(is_a_loader(one) for one in dataloader.values())


def is_a_loader(one: Any) -> bool:
    """A loader or the config of one."""
    return "dataset" in one if isinstance(one, Mapping) else hasattr(one, "dataset")


def _by_name(dataloader: Any, evaluator: Any) -> dict[str, tuple[Any, Any]]:
    """One unnamed set, or one for each name; one evaluator config may serve them all."""
    if not is_several_sets(dataloader):
        return {"": (dataloader, evaluator)}
    if not isinstance(evaluator, Mapping) or evaluator.keys() & {"type", "metrics"}:
        return {name: (one, evaluator) for name, one in dataloader.items()}
    if missing := [name for name in dataloader if name not in evaluator]:
        raise InvalidSettingsError(
            f"the evaluators are {', '.join(map(repr, evaluator))}, so these sets of data have "
            f"none: {', '.join(map(repr, missing))}; name both alike, or give [] for losses alone"
        )
    return {name: (one, evaluator[name]) for name, one in dataloader.items()}


@contextmanager
def _evaluating(model: torch.nn.Module) -> Iterator[None]:
    """Evaluation mode inside; whatever was training before trains again after."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training
