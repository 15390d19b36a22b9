from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset
from toy_run import toy_data

from tk_registry import DATA_SAMPLERS, FUNCTIONS
from tk_runner import DefaultSampler, InvalidSettingsError, StatefulDataLoader
from tk_runner.building.dataloaders import build_dataloader


def build(cfg: Any, *, is_training: bool = False, **more: Any) -> Any:
    return build_dataloader(cfg, seed=0, is_training=is_training, **more)


def test_a_ready_made_loader_gets_a_position() -> None:
    loader = build(DataLoader(toy_data(), batch_size=5))

    assert isinstance(loader, StatefulDataLoader)
    assert [len(rows) for rows, _ in loader] == [5, 5, 5, 5, 4]


@pytest.mark.parametrize("is_training", [True, False])
def test_a_missing_sampler_shuffles_for_training_only(is_training: bool) -> None:
    loader = build({"dataset": toy_data(), "batch_size": 5}, is_training=is_training)

    assert loader.sampler.shuffle is is_training


@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("shuffle", [True, False])
def test_shuffle_says_whether_the_filled_in_sampler_shuffles(
    shuffle: bool, is_training: bool
) -> None:
    loader = build({"dataset": toy_data(), "shuffle": shuffle}, is_training=is_training)

    order = [index for batch in loader.batches() for index in batch.indices or ()]
    assert (order != list(range(24))) is shuffle
    assert loader.sampler.round_up is is_training


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"shuffle": "False"}, "shuffle must be True or False, got 'False'"),
        (
            {"shuffle": True, "sampler": [1, 2]},
            "the sampler decides the order, so",
        ),
        (
            {"shuffle": False, "batch_sampler": [[1]]},
            "so shuffle=False has no effect",
        ),
        ({"drop_last": True, "batch_sampler": [[1]]}, "so drop_last has no effect"),
    ],
)
def test_settings_that_contradict_each_other_are_told(options: Any, text: str) -> None:
    with pytest.raises(InvalidSettingsError, match=text):
        build({"dataset": toy_data(), **options})


def test_what_is_set_on_a_cut_dataset_reaches_the_samples() -> None:
    class Staged(Dataset[int]):
        stage = 0

        def __len__(self) -> int:
            return 10

        def __getitem__(self, index: int) -> int:
            return self.stage

    loader = build({"dataset": Staged(), "batch_size": 2, "num_batch_per_epoch": 1})
    loader.dataset.stage = 7

    assert list(loader) == [[7, 7]]


def test_a_sampler_for_evaluation_does_not_pad() -> None:
    cfg = {"dataset": toy_data(), "sampler": {"type": "DefaultSampler", "shuffle": False}}

    assert build(cfg).sampler.round_up is False
    assert build(cfg, is_training=True).sampler.round_up is True


def test_a_sampler_may_insist_on_padding() -> None:
    cfg = {"dataset": toy_data(), "sampler": {"type": "DefaultSampler", "round_up": True}}

    assert build(cfg).sampler.round_up is True


def test_batches_of_a_config_are_lists_unless_told_otherwise() -> None:
    rows, signs = next(iter(build({"dataset": toy_data(), "batch_size": 3})))

    assert isinstance(rows, list)
    assert len(signs) == 3


def test_a_collate_function_may_be_named_with_arguments() -> None:
    def scaled(batch: list[Any], factor: float = 1.0) -> torch.Tensor:
        return torch.stack([rows for rows, _ in batch]) * factor

    FUNCTIONS.register_module("scaled_by", module=scaled, force=True)
    cfg = {"dataset": toy_data(), "batch_size": 3}

    plain = next(iter(build({**cfg, "collate_fn": {"type": "scaled_by"}})))
    doubled = next(iter(build({**cfg, "collate_fn": {"type": "scaled_by", "factor": 2.0}})))

    assert torch.equal(doubled, 2 * plain)


def test_a_collate_function_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="collate_fn must be callable or a dict"):
        build({"dataset": toy_data(), "collate_fn": "pseudo_collate"})


def test_a_batch_sampler_needs_no_batch_size() -> None:
    class Pairs(BatchSampler):
        def __init__(self, sampler: Any, batch_size: int = 2) -> None:
            super().__init__(sampler, 2, drop_last=False)

    DATA_SAMPLERS.register_module(module=Pairs, force=True)
    cfg = {
        "dataset": toy_data(),
        "sampler": {"type": DefaultSampler, "shuffle": False},
        "batch_sampler": {"type": "Pairs"},
    }

    assert len(build(cfg)) == 12


def test_an_epoch_can_be_cut_to_some_batches() -> None:
    cfg = {"dataset": toy_data(), "batch_size": 4, "num_batch_per_epoch": 2}

    assert len(build(cfg)) == 2


def test_a_dataset_keeps_its_facts_when_it_is_cut() -> None:
    class Named(Dataset[int]):
        metainfo = {"classes": ["a"]}  # noqa: RUF012 - as users write it

        def __len__(self) -> int:
            return 10

        def __getitem__(self, index: int) -> int:
            return index

    cfg = {"dataset": Named(), "batch_size": 2, "num_batch_per_epoch": 1}

    assert build(cfg).dataset.metainfo == {"classes": ["a"]}


def test_a_loader_without_a_dataset_is_refused() -> None:
    with pytest.raises(InvalidSettingsError, match="no 'dataset'"):
        build({"batch_size": 2})


@pytest.mark.parametrize("given", ["train", [1, 2]])
def test_what_is_no_loader_is_refused(given: Any) -> None:
    with pytest.raises(TypeError, match="a dataloader is a torch DataLoader"):
        build(given)
