from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from tk_runner.structures import BaseDataElement, InstanceData


class Subclass(torch.Tensor):
    pass


class Boxes:
    """A field type of somebody else: indexable, joinable."""

    def __init__(self, rows: torch.Tensor) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index) -> Boxes:
        return Boxes(self.rows[index])

    @staticmethod
    def cat(parts: list[Boxes]) -> Boxes:
        return Boxes(torch.cat([part.rows for part in parts]))


@pytest.fixture
def four() -> InstanceData:
    return InstanceData(
        metainfo={"size": (8, 9)},
        tensor=torch.arange(4),
        array=np.arange(4),
        names=["a", "b", "c", "d"],
        pairs=((0,), (1,), (2,), (3,)),
        text="abcd",
        boxes=Boxes(torch.arange(8).view(4, 2)),
        inner=InstanceData(x=torch.arange(4)),
    )


def positions(data: InstanceData) -> list[int]:
    """The selected instances, after checking that all fields agree on them."""
    found = data.tensor.tolist()
    assert data.array.tolist() == found
    assert data.names == ["abcd"[i] for i in found]
    assert data.pairs == tuple((i,) for i in found)
    assert data.text == "".join("abcd"[i] for i in found)
    assert data.boxes.rows[:, 0].tolist() == [2 * i for i in found]
    assert data.inner.x.tolist() == found
    return found


INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]
CASES = {
    "int": (2, [2]),
    "negative": (-1, [3]),
    "numpy-int16": (np.int16(1), [1]),
    "numpy-uint8": (np.uint8(1), [1]),
    "0d-array": (np.array(3), [3]),
    "0d-tensor": (torch.tensor(3), [3]),
    "0d-int32": (torch.tensor(3, dtype=torch.int32), [3]),
    "slice": (slice(1, None, 2), [1, 3]),
    "backwards-list": ([3, 0, 0], [3, 0, 0]),
    "negative-list": ([-1, 0], [3, 0]),
    "empty-list": ([], []),
    "tuple-like-range": (range(2), [0, 1]),
    "bool-list": ([True, False, False, True], [0, 3]),
    "list-of-numpy": ([np.int64(1), np.int64(2)], [1, 2]),
    "bool-array": (np.array([False, True, True, False]), [1, 2]),
    "bool-tensor": (torch.tensor([False, True, True, False]), [1, 2]),
    "subclass": (torch.tensor([1, 2]).as_subclass(Subclass), [1, 2]),
    "empty-tensor": (torch.tensor([], dtype=torch.int64), []),
    "strided-array": (np.arange(4)[::-2], [3, 1]),
    **{f"tensor-{dtype}": (torch.tensor([2, 1], dtype=dtype), [2, 1]) for dtype in INTEGERS},
    **{
        f"array-{kind}": (np.array([2, 1], dtype=kind), [2, 1])
        for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    },
}


@pytest.mark.parametrize("case", CASES)
def test_whatever_torch_indexes_with_selects_instances(four: InstanceData, case: str) -> None:
    index, expected = CASES[case]
    selected = four[index]

    assert positions(selected) == expected
    assert len(selected) == len(expected)
    assert selected.metainfo == {"size": (8, 9)}
    assert selected.keys() == four.keys()


@pytest.mark.parametrize("index", [4, -5, np.int32(4), torch.tensor(4), [0, 4], torch.tensor([-5])])
def test_a_position_outside_is_an_index_error(four: InstanceData, index: object) -> None:
    with pytest.raises(IndexError, match="outside the 4 instances"):
        four[index]


def test_no_instances_have_no_positions() -> None:
    with pytest.raises(IndexError, match="into no instances"):
        InstanceData()[0]
    assert len(InstanceData()[:]) == 0


@pytest.mark.parametrize(
    "index", [1.0, None, (1.0, 2.0), torch.tensor([1.0]), np.array([1.5]), [[0], [1, 2]]]
)
def test_other_indices_are_refused(four: InstanceData, index: object) -> None:
    with pytest.raises(AssertionError, match="no index of instances"):
        four[index]


def test_masks_and_dimensions_must_fit(four: InstanceData) -> None:
    with pytest.raises(AssertionError, match="a mask of 2 entries over 4 instances"):
        four[torch.tensor([True, False])]
    with pytest.raises(AssertionError, match="one dimension"):
        four[torch.tensor([[0, 1]])]
    with pytest.raises(AssertionError, match="one dimension"):
        four[torch.tensor(True)]


def test_a_string_reads_a_field_and_an_item_writes_one(four: InstanceData) -> None:
    four["scores"] = torch.ones(4)

    assert four["scores"] is four.scores
    assert four["text"] == "abcd"


def test_a_field_that_cannot_be_selected_from_is_named() -> None:
    data = InstanceData(odd={1: 2})

    with pytest.raises(TypeError, match="field 'odd' holds dict"):
        data[[0]]


@pytest.mark.parametrize("value", [1, torch.tensor(1), np.array(1.0), None])
def test_a_field_needs_a_length(value: object) -> None:
    with pytest.raises(AssertionError, match="field 'a' needs one entry for each instance"):
        InstanceData(a=value)


def test_a_wrong_length_names_field_length_and_shape(four: InstanceData) -> None:
    with pytest.raises(
        AssertionError,
        match=r"'masks' has 3 entries \(shape \(3, 2\)\), but the instances are 4",
    ):
        four.masks = torch.ones(3, 2)
    with pytest.raises(ValueError, match="'tensor' has 2 entries"):
        four.tensor = torch.ones(2)


def test_the_only_field_may_change_its_length() -> None:
    data = InstanceData(a=[1, 2])
    data.a = [1, 2, 3]

    assert len(data) == 3


def test_empty_fields_take_empty_fields_only() -> None:
    data = InstanceData(a=torch.empty(0, 4))

    with pytest.raises(AssertionError, match="the instances are 0"):
        data.b = [1]
    data.b = []
    assert len(data) == 0


def test_iteration_ends(four: InstanceData) -> None:
    assert [len(one) for one in four] == [1, 1, 1, 1]


def test_cat_joins_every_kind_of_field(four: InstanceData) -> None:
    joined = InstanceData.cat([four[:1], four[2:]])

    assert positions(joined) == [0, 2, 3]
    assert joined.metainfo == {"size": (8, 9)}
    assert joined.keys() == four.keys()


def test_cat_of_one_is_a_new_object(four: InstanceData) -> None:
    joined = InstanceData.cat([four])
    joined.tensor += 1
    joined.names.append("x")

    assert joined is not four
    assert four.tensor.tolist() == [0, 1, 2, 3]
    assert len(four.names) == 4


def test_cat_keeps_the_subclass() -> None:
    class Mine(InstanceData):
        pass

    assert type(Mine.cat([Mine(a=[1]), Mine(a=[2])])) is Mine


def test_cat_says_what_does_not_fit(four: InstanceData) -> None:
    with pytest.raises(AssertionError, match="the list is empty"):
        InstanceData.cat([])
    with pytest.raises(AssertionError, match="entry 1 is BaseDataElement"):
        InstanceData.cat([four, BaseDataElement()])  # type: ignore[list-item]
    with pytest.raises(AssertionError, match=r"entry 1 and entry 0 differ in the fields \['b'\]"):
        InstanceData.cat([InstanceData(a=[1]), InstanceData(a=[1], b=[1])])
    with pytest.raises(TypeError, match="field 'a' holds dict, which cannot be joined"):
        InstanceData.cat([InstanceData(a={1: 1}), InstanceData(a={1: 1})])


def test_cat_ignores_the_order_of_fields() -> None:
    joined = InstanceData.cat([InstanceData(a=[1], b=[2]), InstanceData(b=[3], a=[4])])

    assert (joined.a, joined.b) == ([1, 4], [2, 3])


def test_conversions_keep_the_type_and_the_length(four: InstanceData) -> None:
    moved = copy.deepcopy(four).to(torch.float64)

    assert type(moved) is InstanceData
    assert moved.inner.x.dtype == torch.float64
    assert len(moved) == 4


def test_typed_fields_are_held_to_the_length_too() -> None:
    class Typed(InstanceData):
        @property
        def scores(self) -> torch.Tensor:
            return self._scores

        @scores.setter
        def scores(self, value: torch.Tensor) -> None:
            self.set_field(value, "_scores", dtype=torch.Tensor)

    data = Typed(scores=torch.ones(2))
    data.scores = torch.ones(3)
    with pytest.raises(AssertionError, match="so long is field 'scores'"):
        data.labels = [1]
    data.labels = [1, 2, 3]
    assert data[1:].keys() == ["scores", "labels"]
    assert len(data[1:].scores) == 2


@pytest.mark.cuda
def test_indices_may_lie_on_another_device_than_the_fields(four: InstanceData) -> None:
    mask = torch.tensor([True, False, True, False], device="cuda")

    assert positions(four[mask]) == [0, 2]
    assert positions(four[torch.tensor([3, 1], dtype=torch.int32, device="cuda")]) == [3, 1]
    assert InstanceData(a=torch.arange(4, device="cuda"))[[0, 3]].a.tolist() == [0, 3]
