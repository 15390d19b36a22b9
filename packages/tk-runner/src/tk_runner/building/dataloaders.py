"""The data loaders of a run: from configs or from ready-made loaders, each of them stateful."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from torch.utils.data import Dataset, Subset

from tk_dist import get_world_size
from tk_registry import DATA_SAMPLERS, DATASETS, FUNCTIONS, did_you_mean

from ..data import (
    DefaultSampler,
    StatefulDataLoader,
    StatefulLoader,
    as_stateful,
    pseudo_collate,
)
from ..errors import InvalidSettingsError
from ..settings.dataloader import OWN_KEYS, loader_problems


def build_dataloader(
    dataloader: Any, *, seed: int, is_training: bool, start_method: str | None = None
) -> StatefulLoader:
    """A stateful loader, out of a loader or a config.

    A sampler that the config leaves out is filled in: with equal shares for
    training, without padding for evaluation. It shuffles as ``shuffle`` says, by
    default for training only.

    Args:
        dataloader: a loader, or a mapping with ``dataset`` and loader arguments.
        seed: of the order and of the samples.
        is_training: whether the loader is trained on.
        start_method: how worker processes start; ``None`` leaves it to torch.
    """
    if not isinstance(dataloader, Mapping):
        if not hasattr(dataloader, "dataset"):
            raise TypeError(
                "a dataloader is a torch DataLoader, anything like it that has a dataset, or a "
                f"config with 'dataset', got {type(dataloader).__name__}"
            )
        return as_stateful(dataloader, seed=seed, round_up=is_training)
    options = {key: value for key, value in dataloader.items() if key not in OWN_KEYS}
    options.pop("disable_subprocess_warning", None)
    num_batches = options.pop("num_batch_per_epoch", None)
    dataset = _dataset(dataloader)
    if num_batches is not None:
        batch_size = options.get("batch_size", 1) or 1
        dataset = _Shortened(dataset, num_batches * batch_size * get_world_size())
    if start_method is not None and options.get("num_workers"):
        options.setdefault("multiprocessing_context", start_method)
    shuffle = _shuffle(dataloader, default=is_training)
    options.pop("shuffle", None)
    options |= _batching(dataloader, dataset, seed, is_training, shuffle)
    options["collate_fn"] = _function(dataloader.get("collate_fn"), "collate_fn") or pseudo_collate
    if worker_init := _function(dataloader.get("worker_init_fn"), "worker_init_fn"):
        options["worker_init_fn"] = worker_init
    if "batch_sampler" in options:
        options.pop("batch_size", None)  # the batch sampler was given it
    return StatefulDataLoader(dataset, seed=seed, round_up=is_training, **options)


def _dataset(dataloader: Mapping[str, Any]) -> Dataset[Any]:
    dataset = dataloader.get("dataset")
    if dataset is None:
        hint = did_you_mean("dataset", dataloader)
        raise InvalidSettingsError(f"a dataloader config has no 'dataset'; {hint}")
    if not isinstance(dataset, Mapping):
        return dataset  # type: ignore[no-any-return]
    built: Dataset[Any] = DATASETS.build(dataset)
    if hasattr(built, "full_init"):
        built.full_init()
    return built


def _shuffle(dataloader: Mapping[str, Any], *, default: bool) -> bool:
    """Whether the sampler that is filled in shuffles; beside a sampler nothing may say so."""
    if found := loader_problems(dataloader):
        raise InvalidSettingsError("; ".join(message for _, message in found))
    shuffle = dataloader.get("shuffle")
    return default if shuffle is None else bool(shuffle)


def _batching(
    dataloader: Mapping[str, Any],
    dataset: Dataset[Any],
    seed: int,
    is_training: bool,
    shuffle: bool,
) -> dict[str, Any]:
    sampler = dataloader.get("sampler") or {"type": DefaultSampler, "shuffle": shuffle}
    if isinstance(sampler, Mapping):
        sampler = _sampler(sampler, dataset, seed, is_training)
    batch_sampler = dataloader.get("batch_sampler")
    if batch_sampler is None:
        return {"sampler": sampler}
    if isinstance(batch_sampler, Mapping):
        parts = {"sampler": sampler, "batch_size": dataloader.get("batch_size", 1)}
        batch_sampler = DATA_SAMPLERS.build(batch_sampler, default_args=parts)
    return {"batch_sampler": batch_sampler}


def _sampler(cfg: Mapping[str, Any], dataset: Dataset[Any], seed: int, is_training: bool) -> Any:
    defaults: dict[str, Any] = {"dataset": dataset, "seed": seed}
    kind = cfg.get("type")
    kind = DATA_SAMPLERS.get(kind) if isinstance(kind, str) else kind
    if not is_training and isinstance(kind, type) and issubclass(kind, DefaultSampler):
        defaults["round_up"] = False  # a sample that is evaluated twice changes the result
    return DATA_SAMPLERS.build(cfg, default_args=defaults)


def _function(cfg: Any, name: str) -> Any:
    """A callable: given as such, or a registered one with further arguments bound."""
    if cfg is None or callable(cfg):
        return cfg
    if not isinstance(cfg, Mapping):
        raise TypeError(f"{name} must be callable or a dict with 'type', got {type(cfg).__name__}")
    arguments = dict(cfg)
    kind = arguments.pop("type")
    function: Any = FUNCTIONS.resolve(kind) if isinstance(kind, str) else kind
    if isinstance(function, type):
        return function(**arguments)
    return partial(function, **arguments) if arguments else function


class _Shortened(Subset[Any]):
    """The first samples of a dataset, with everything else that the dataset has."""

    def __init__(self, dataset: Any, length: int) -> None:
        super().__init__(dataset, range(min(length, len(dataset))))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "dataset":
            raise AttributeError(name)
        return getattr(self.dataset, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """What a hook sets, such as another pipeline, reaches the dataset that reads it."""
        owner = self if name in ("dataset", "indices") else self.dataset
        object.__setattr__(owner, name, value)
