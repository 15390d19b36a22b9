from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import Dataset, IterableDataset, TensorDataset

from tk_registry import DATASETS
from tk_runner.data import (
    BaseDataset,
    ClassBalancedDataset,
    ConcatDataset,
    EmptyDatasetError,
    RepeatDataset,
)


class Letters(BaseDataset):
    def __init__(self, letters: str, **kwargs: Any) -> None:
        self.letters = letters
        super().__init__(**kwargs)

    def load_data_list(self) -> list[dict[str, Any]]:
        return [{"letter": letter} for letter in self.letters]

    def get_cat_ids(self, idx: int) -> list[int]:
        letter = self.get_data_info(idx)["letter"]
        return [] if letter == "_" else [ord(letter)]


@pytest.fixture
def registered() -> Iterator[None]:
    DATASETS.register_module(name="LettersForTest", module=Letters)
    yield
    DATASETS.module_dict.pop("LettersForTest", None)


def text(dataset: Any) -> str:
    return "".join(sample["letter"] for sample in dataset)


WRAPPERS = {
    "concat": (lambda lazy: ConcatDataset([Letters("ab"), Letters("c")], lazy), "abc"),
    "repeat": (lambda lazy: RepeatDataset(Letters("ab"), 3, lazy), "ababab"),
    "balanced": (lambda lazy: ClassBalancedDataset(Letters("aaab"), 1.0, lazy), "aaaaaabb"),
    "nested": (
        lambda lazy: RepeatDataset(ConcatDataset([Letters("a"), Letters("b")], lazy), 2, lazy),
        "abab",
    ),
}


@pytest.fixture(params=WRAPPERS)
def case(request: pytest.FixtureRequest) -> tuple[Any, str]:
    return WRAPPERS[request.param]


# ---- all wrappers


def test_a_loop_over_a_wrapper_ends(case: tuple) -> None:
    assert text(case[0](False)) == case[1]


def test_indices_are_those_of_a_list(case: tuple) -> None:
    dataset, expected = case[0](False), case[1]
    size = len(expected)

    assert len(dataset) == size
    for idx in range(-size, size):
        assert dataset[idx]["letter"] == expected[idx]
        assert dataset.get_data_info(idx)["letter"] == expected[idx]
        assert dataset.get_cat_ids(idx) == [ord(expected[idx])]
    assert dataset[torch.tensor(1)]["letter"] == expected[1]
    for outside in (size, -size - 1):
        with pytest.raises(IndexError, match=f"index {outside} is outside"):
            dataset[outside]


@pytest.mark.parametrize("use", [len, text, lambda d: d[0], lambda d: d.get_data_info(0)])
def test_a_lazy_wrapper_warns_and_initialises(case: tuple, use: Any, caplog) -> None:
    dataset = case[0](True)
    with caplog.at_level(logging.WARNING, "tk.data"):
        use(dataset)

    assert "is lazy" in caplog.text
    assert text(dataset) == case[1]


def test_subsets_of_a_wrapper_are_refused(case: tuple) -> None:
    dataset = case[0](False)
    for refused in (dataset.get_subset, dataset.get_subset_):
        with pytest.raises(NotImplementedError, match="ambiguous; take the subset of the wrapped"):
            refused(1)


def test_every_wrapper_is_a_torch_dataset(case: tuple) -> None:
    assert isinstance(case[0](False), Dataset)


def test_metainfo_is_a_copy_of_the_wrapped(case: tuple) -> None:
    dataset = RepeatDataset(Letters("a", metainfo={"classes": ["x"]}), 2)
    dataset.metainfo["classes"].append("y")

    assert dataset.metainfo == {"classes": ["x"]}


def test_configs_are_built(registered: None) -> None:
    config = {"type": "LettersForTest", "letters": "ab"}

    assert text(ConcatDataset([config, config])) == "abab"
    assert text(DATASETS.build({"type": "RepeatDataset", "dataset": config, "times": 2})) == "abab"
    assert text(ClassBalancedDataset(config, 0.0)) == "ab"


class Endless(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter(())


@pytest.mark.parametrize("other", [[1, 2], 3, Endless()])
def test_only_map_style_datasets_are_wrapped(other: Any) -> None:
    for wrap in (
        lambda: ConcatDataset([other]),
        lambda: RepeatDataset(other, 2),
        lambda: ClassBalancedDataset(other, 0.1),
    ):
        with pytest.raises(TypeError, match="a map-style dataset or a config of one"):
            wrap()


def test_torch_datasets_can_be_wrapped() -> None:
    dataset = RepeatDataset(TensorDataset(torch.arange(2)), 2)

    assert [int(x) for (x,) in dataset] == [0, 1, 0, 1]
    assert dataset.metainfo == {}


def test_an_empty_wrapper_says_what_it_wraps() -> None:
    dataset = ConcatDataset([Letters("", ann_file="a.json"), RepeatDataset(Letters("x"), 0)])

    assert list(dataset) == []
    with pytest.raises(EmptyDatasetError, match=r"ConcatDataset has 0 samples, of: Letters\(ann_"):
        dataset[0]


def test_randomness_is_that_of_the_wrapped() -> None:
    def random(declared: bool) -> Letters:
        letters = Letters("a")
        letters.pipeline.transforms = [print] if declared else []
        return letters

    assert ConcatDataset([random(False), random(True)]).is_random is True
    assert ConcatDataset([random(False)]).is_random is False
    assert RepeatDataset(TensorDataset(torch.arange(2)), 2).is_random is None


# ---- ConcatDataset


def concat(*metainfos: dict[str, Any], **kwargs: Any) -> ConcatDataset:
    return ConcatDataset([Letters("a", metainfo=metainfo) for metainfo in metainfos], **kwargs)


def test_equal_metainfo_at_any_depth_is_accepted() -> None:
    metainfo = {"p": np.arange(3), "q": [np.arange(2), {"r": torch.ones(2)}]}

    assert len(concat(metainfo, metainfo)) == 2


@pytest.mark.parametrize(
    ("other", "kind", "message"),
    [
        ({"classes": ["a", "c"]}, ValueError, r"classes\[1\] is 'b' in one, 'c' in the other"),
        ({}, ValueError, r"classes=\['a', 'b'\] is in one only"),
        ({"classes": ("a", "b")}, TypeError, "classes is of type list in one, tuple in the other"),
    ],
)
def test_the_key_that_differs_is_named_with_both_values(
    other: dict, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=f"dataset 0 and dataset 1 differ: {message}.*ignore_keys"):
        concat({"classes": ["a", "b"]}, other)


@pytest.mark.parametrize("ignore", ["classes", ["classes", "more"]])
def test_ignored_keys_may_differ_and_the_first_is_kept(ignore: Any) -> None:
    dataset = concat(
        {"classes": [1]},
        {"classes": [2], "more": 1} if ignore != "classes" else {"classes": 3},
        ignore_keys=ignore,
    )

    assert dataset.metainfo == {"classes": [1]}


def test_ignore_keys_are_names() -> None:
    with pytest.raises(TypeError, match="a name or a list of names, not int"):
        concat({}, ignore_keys=1)


def test_no_datasets_are_refused() -> None:
    with pytest.raises(ValueError, match="ConcatDataset of no datasets"):
        ConcatDataset([])


# ---- RepeatDataset


@pytest.mark.parametrize("times", [0, 1, 1000])
def test_the_length_is_times_the_length(times: int) -> None:
    assert len(RepeatDataset(Letters("ab"), times)) == 2 * times


def test_times_is_not_negative() -> None:
    with pytest.raises(ValueError, match="times must be a whole number of 0 or more, got -1"):
        RepeatDataset(Letters("ab"), -1)


# ---- ClassBalancedDataset


def test_repeats_by_hand() -> None:
    # a: 4/8, b: 1/8, c: 2/8; threshold 1/2 -> factors 1, 2, sqrt(2); "_" has no category
    dataset = ClassBalancedDataset(Letters("aaaabcc_"), 0.5)

    assert dataset.repeat_indices == [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7]
    assert math.ceil(math.sqrt(0.5 / 0.25)) == 2


@pytest.mark.parametrize(
    ("threshold", "expected"), [(0.0, "aab"), (0.3, "aab"), (4.0, "aaaaaabbbb")]
)
def test_thresholds_at_the_ends(threshold: float, expected: str) -> None:
    # above every share: a has sqrt(4 / (2/3)) = 2.45, b sqrt(4 / (1/3)) = 3.46
    assert text(ClassBalancedDataset(Letters("aab"), threshold)) == expected


def test_a_dataset_without_categories_is_refused() -> None:
    with pytest.raises(TypeError, match=r"TensorDataset has no get_cat_ids\(idx\)"):
        ClassBalancedDataset(TensorDataset(torch.arange(2)), 0.1)
