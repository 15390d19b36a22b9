from __future__ import annotations

import copy
import json
import logging
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tk_fileio import UntrustedSourceError, dump, trust_pickles
from tk_runner.data import AnnotationError, BaseDataset, EmptyDatasetError, SampleError


class Numbers(BaseDataset):
    """Ten annotations, without a file."""

    METAINFO = {"kind": "numbers", "shared": [1]}  # noqa: RUF012
    loads = 0

    def load_data_list(self) -> list[dict[str, Any]]:
        type(self).loads += 1
        return [{"number": number, "tags": [number]} for number in range(10)]


class Filtered(Numbers):
    def filter_data(self) -> list[dict[str, Any]]:
        low = (self.filter_cfg or {}).get("low", 0)
        return [info for info in self.data_list if info["number"] >= low]


def numbers(dataset: BaseDataset) -> list[int]:
    return [dataset.get_data_info(idx)["number"] for idx in range(len(dataset))]


@pytest.fixture(params=[True, False], ids=["packed", "plain"])
def packed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def ann_file(tmp_path: Path) -> str:
    content = {
        "metainfo": {"kind": "file", "of_file": 3},
        "data_list": [{"img_path": f"{i}.jpg", "label": i} for i in range(3)],
    }
    path = tmp_path / "ann.json"
    path.write_text(json.dumps(content))
    return str(path)


# ---- reading annotations


def test_annotations_are_read_from_a_file(ann_file: str, packed: bool) -> None:
    dataset = BaseDataset(ann_file, serialize_data=packed)

    assert len(dataset) == 3
    assert dataset[1] == {"img_path": "1.jpg", "label": 1, "sample_idx": 1}
    assert dataset.metainfo == {"kind": "file", "of_file": 3}


def test_annotations_may_be_yaml(tmp_path: Path) -> None:
    dump({"metainfo": {}, "data_list": [{"a": 1}]}, tmp_path / "ann.yaml")

    assert BaseDataset(tmp_path / "ann.yaml")[0] == {"a": 1, "sample_idx": 0}


def test_pickled_annotations_are_read_only_where_the_application_trusts_them(
    tmp_path: Path,
) -> None:
    dump({"metainfo": {}, "data_list": [{"a": 1}]}, tmp_path / "ann.pkl")

    with pytest.raises(UntrustedSourceError, match="could run code"):
        BaseDataset(tmp_path / "ann.pkl")
    with trust_pickles():
        assert BaseDataset(tmp_path / "ann.pkl")[0] == {"a": 1, "sample_idx": 0}


def test_the_file_fills_only_metainfo_that_is_not_known(ann_file: str) -> None:
    class Known(BaseDataset):
        METAINFO = {"kind": "class", "of_class": 1}  # noqa: RUF012

    dataset = Known(ann_file, metainfo={"of_class": 2})

    assert dataset.metainfo == {"kind": "class", "of_class": 2, "of_file": 3}
    assert Known.METAINFO == {"kind": "class", "of_class": 1}


def test_metainfo_is_a_deep_copy() -> None:
    dataset = Numbers()
    dataset.metainfo["shared"].append(2)

    assert dataset.metainfo["shared"] == [1]
    assert Numbers.METAINFO["shared"] == [1]


def test_prefixes_are_joined_below_the_root(ann_file: str, tmp_path: Path) -> None:
    dataset = BaseDataset("ann.json", data_root=str(tmp_path), data_prefix={"img_path": "images"})

    assert dataset.ann_file == ann_file
    assert dataset[0]["img_path"] == f"{tmp_path}/images/0.jpg"


@pytest.mark.parametrize("prefix", ["/elsewhere", "s3://bucket/x", "http://host/x", "https://h/x"])
def test_absolute_prefixes_stay(prefix: str, ann_file: str) -> None:
    dataset = BaseDataset(
        ann_file, data_root="/root", data_prefix={"img_path": prefix}, lazy_init=True
    )

    assert dataset.data_prefix == {"img_path": prefix}
    assert dataset.ann_file == ann_file


@pytest.mark.parametrize("root", [None, ""])
def test_without_a_root_paths_stay(root: str | None) -> None:
    dataset = BaseDataset("ann.json", data_root=root, data_prefix={"a": "b"}, lazy_init=True)

    assert (dataset.ann_file, dataset.data_prefix) == ("ann.json", {"a": "b"})


def test_a_prefix_is_a_path() -> None:
    with pytest.raises(TypeError, match=r"data_prefix\['a'\] must be a path, not int"):
        Numbers(data_prefix={"a": 1})  # type: ignore[dict-item]


def test_an_annotation_without_a_key_of_the_prefix_is_named(ann_file: str) -> None:
    with pytest.raises(AssertionError, match=r"names 'depth', and an annotation has only \['img"):
        BaseDataset(ann_file, data_prefix={"depth": "x"})


def test_the_default_prefix_needs_no_key(tmp_path: Path) -> None:
    (tmp_path / "ann.json").write_text('{"metainfo": {}, "data_list": [{"a": 1}]}')

    assert BaseDataset(tmp_path / "ann.json")[0]["a"] == 1


def test_without_a_file_the_remedy_is_named() -> None:
    with pytest.raises(TypeError, match="BaseDataset has no ann_file; pass ann_file="):
        BaseDataset()


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"no-such\.json"):
        BaseDataset("no-such.json")


@pytest.mark.parametrize(
    ("content", "kind", "text"),
    [
        ("[1]", TypeError, "holds list; expected a dict"),
        ('{"metainfo": {}}', ValueError, "has no 'data_list'; its keys are"),
        ('{"a": 1}', ValueError, "has no 'metainfo' and no 'data_list'"),
    ],
)
def test_a_file_of_another_shape_is_refused(
    tmp_path: Path, content: str, kind: type[Exception], text: str
) -> None:
    (tmp_path / "ann.json").write_text(content)

    with pytest.raises(kind, match=text):
        BaseDataset(tmp_path / "ann.json")


def test_one_annotation_may_be_several_samples(ann_file: str) -> None:
    class Twice(BaseDataset):
        def parse_data_info(self, raw_data_info: dict[str, Any]) -> list[dict[str, Any]]:
            return [raw_data_info, dict(raw_data_info)]

    assert [info["label"] for info in Twice(ann_file)] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("result", [3, None, [1]])
def test_what_parsing_gives_is_checked(ann_file: str, result: object) -> None:
    class Wrong(BaseDataset):
        def parse_data_info(self, raw_data_info: dict[str, Any]) -> Any:
            return result

    with pytest.raises(TypeError, match=r"parse_data_info\(\) of Wrong gave .* for annotation 0"):
        Wrong(ann_file)


# ---- initialising


def test_initialising_twice_reads_once(packed: bool) -> None:
    Numbers.loads = 0
    dataset = Numbers(serialize_data=packed, lazy_init=True)
    assert Numbers.loads == 0

    dataset.full_init()
    dataset.full_init()

    assert Numbers.loads == 1


@pytest.mark.parametrize(
    "use", [len, lambda dataset: dataset[0], numbers, lambda d: d.get_subset(1)]
)
def test_a_lazy_dataset_is_initialised_by_its_first_use(use: Any, packed: bool, caplog) -> None:
    dataset = Numbers(serialize_data=packed, lazy_init=True)

    with caplog.at_level(logging.WARNING, "tk.data"):
        use(dataset)

    assert "is lazy" in caplog.text
    assert numbers(dataset) == list(range(10))


def test_packing_empties_the_list_and_shows_the_bytes() -> None:
    packed, plain = Numbers(), Numbers(serialize_data=False)

    assert packed.data_list == []
    assert len(packed.data_address) == 10
    assert packed.data_bytes.size == packed.data_address[-1]
    assert len(plain.data_list) == 10
    assert plain.data_bytes.size == 0


# ---- samples


@pytest.mark.parametrize("lazy", [True, False])
def test_indices_are_those_of_a_list(packed: bool, lazy: bool) -> None:
    dataset = Numbers(serialize_data=packed, lazy_init=lazy)

    assert dataset[-1] == dataset[9] == {"number": 9, "tags": [9], "sample_idx": 9}
    assert dataset[-10]["number"] == 0
    assert dataset[np.int64(3)]["number"] == dataset[torch.tensor(3)]["number"] == 3
    for outside in (10, -11):
        with pytest.raises(IndexError, match=f"index {outside} is outside the 10 samples"):
            dataset[outside]


def test_a_loop_over_a_dataset_ends(packed: bool) -> None:
    assert [info["number"] for info in Numbers(serialize_data=packed)] == list(range(10))


def test_annotations_are_fresh_copies(packed: bool) -> None:
    dataset = Numbers(serialize_data=packed)
    dataset.get_data_info(0)["tags"].append(5)

    assert dataset.get_data_info(0) == {"number": 0, "tags": [0], "sample_idx": 0}


def test_the_pipeline_gets_the_annotation() -> None:
    dataset = Numbers(pipeline=[lambda data: data["number"] * 2])

    assert dataset[3] == 6


def test_a_refused_sample_is_replaced_counted_and_named(caplog) -> None:
    def odd_only(data: dict[str, Any]) -> dict[str, Any] | None:
        return data if data["number"] % 2 else None

    dataset = Numbers(pipeline=[odd_only])
    with caplog.at_level(logging.WARNING, "tk.data"):
        assert dataset[4]["number"] % 2 == 1

    assert "None for sample 4 of Numbers (1 so far)" in caplog.text


def test_the_replacement_repeats_under_a_fixed_seed() -> None:
    dataset = Numbers(pipeline=[lambda data: data if data["number"] != 4 else None])
    drawn = []
    for _ in range(2):
        np.random.seed(3)
        drawn.append([dataset[4]["number"] for _ in range(5)])

    assert drawn[0] == drawn[1]
    assert 4 not in drawn[0]


def test_a_pipeline_that_refuses_all_is_an_error_after_the_limit() -> None:
    calls = []
    dataset = Numbers(pipeline=[lambda data: calls.append(data)], max_refetch=4)

    with pytest.raises(SampleError, match=r"sample 2 of Numbers and for 4 others"):
        dataset[2]
    assert len(calls) == 5


def test_in_test_mode_a_refused_sample_is_an_error() -> None:
    dataset = Numbers(pipeline=[lambda data: None], test_mode=True)

    with pytest.raises(SampleError, match="sample 9 of Numbers; in test mode"):
        dataset[-1]


def test_categories_are_for_subclasses() -> None:
    with pytest.raises(NotImplementedError, match=r"Numbers .* override get_cat_ids"):
        Numbers().get_cat_ids(0)


# ---- filters and emptiness


def test_a_filter_keeps_what_it_likes(packed: bool) -> None:
    assert numbers(Filtered(filter_cfg={"low": 8}, serialize_data=packed)) == [8, 9]


def test_a_filter_setting_that_nobody_reads_is_reported(caplog) -> None:
    with caplog.at_level(logging.WARNING, "tk.data"):
        Numbers(filter_cfg={"low": 3})

    assert "filter_cfg={'low': 3} has no effect: Numbers does not override" in caplog.text


def test_an_empty_dataset_says_which_and_what_filtered_it(packed: bool, caplog) -> None:
    with caplog.at_level(logging.WARNING, "tk.data"):
        dataset = Filtered("x.json", data_root="/d", filter_cfg={"low": 99}, serialize_data=packed)

    text = (
        "Filtered(ann_file='/d/x.json', data_root='/d', filter_cfg={'low': 99}) has 0 samples: "
        "10 read, 0 left by filter_data()"
    )
    assert text in caplog.text
    assert len(dataset) == 0
    assert list(dataset) == []
    with pytest.raises(EmptyDatasetError, match="0 left by filter_data"):
        dataset[0]


# ---- subsets

CASES: list[tuple[Any, list[int]]] = [
    (3, [0, 1, 2]),
    (-3, [7, 8, 9]),
    (10, list(range(10))),
    (-10, list(range(10))),
    (25, list(range(10))),
    (-25, list(range(10))),
    (0, []),
    ([], []),
    ([4, 4, -1], [4, 4, 9]),
    ((1, 2), [1, 2]),
    (range(0, 10, 5), [0, 5]),
    (np.array([3, 1]), [3, 1]),
    (torch.tensor([3, 1]), [3, 1]),
]


@pytest.mark.parametrize(("indices", "expected"), CASES, ids=[repr(case[0]) for case in CASES])
def test_a_subset_is_the_same_however_it_is_taken(
    indices: Any, expected: list, packed: bool
) -> None:
    whole = Numbers(serialize_data=packed)
    in_place = Numbers(serialize_data=packed)
    in_place.get_subset_(indices)
    asked_for = Numbers(serialize_data=packed, indices=indices, lazy_init=True)

    assert numbers(whole.get_subset(indices)) == expected
    assert numbers(in_place) == expected
    assert numbers(asked_for) == expected
    assert len(whole) == 10


@pytest.mark.parametrize("indices", ["1", 1.5, None, True])
def test_other_subsets_are_refused(indices: Any, packed: bool) -> None:
    with pytest.raises(TypeError, match="an integer or a sequence of positions"):
        Numbers(serialize_data=packed).get_subset(indices)


def test_a_position_outside_is_named(packed: bool) -> None:
    with pytest.raises(IndexError, match="a subset asks for sample 10 of 10"):
        Numbers(serialize_data=packed).get_subset_([0, 10])


def test_subsets_share_nothing_with_each_other_or_the_parent(packed: bool) -> None:
    class Step:
        scale = 1

        def __call__(self, data: dict[str, Any]) -> Any:
            return data["number"] * self.scale

    parent = Numbers(serialize_data=packed, pipeline=[Step()])
    first = parent.get_subset(5)
    parent._metainfo["late"] = 1
    second = parent.get_subset(5)
    first.pipeline.transforms[0].scale = 100  # type: ignore[attr-defined]
    first._metainfo["shared"].append(9)
    if not packed:
        first.data_list[1]["number"] = 77

    assert "late" in second.metainfo
    assert "late" not in first.metainfo
    assert (parent[1], second[1]) == (1, 1)
    assert second.metainfo["shared"] == parent.metainfo["shared"] == [1]


def test_a_subset_of_a_subset(packed: bool) -> None:
    assert numbers(Numbers(serialize_data=packed).get_subset([5, 6, 7]).get_subset(-2)) == [6, 7]


def test_an_empty_subset_says_so() -> None:
    with pytest.raises(EmptyDatasetError, match=r"10 left by filter_data.*, 0 kept by get_subset"):
        Numbers().get_subset(0)[0]


def test_copies_and_pickles_work(packed: bool) -> None:
    dataset = Numbers(serialize_data=packed)

    for other in (copy.deepcopy(dataset), pickle.loads(pickle.dumps(dataset))):
        assert numbers(other) == list(range(10))


# ---- randomness


@pytest.mark.parametrize(
    ("pipeline", "test_mode", "expected"),
    [([], False, False), ([print], False, True), ([print], True, False)],
)
def test_a_training_pipeline_counts_as_random(
    pipeline: list, test_mode: bool, expected: bool
) -> None:
    assert Numbers(pipeline=pipeline, test_mode=test_mode).is_random is expected


def test_annotation_errors_are_the_builtins_that_callers_catch() -> None:
    assert issubclass(AnnotationError, ValueError)
    assert issubclass(AnnotationError, TypeError)
