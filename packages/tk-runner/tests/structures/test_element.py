from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
import torch

from tk_runner.structures import BaseDataElement, FieldNameError, FieldTypeError, InstanceData


class Sample(BaseDataElement):
    @property
    def boxes(self) -> InstanceData:
        return self._boxes

    @boxes.setter
    def boxes(self, value: InstanceData) -> None:
        self.set_field(value, "_boxes", dtype=InstanceData)

    @boxes.deleter
    def boxes(self) -> None:
        del self._boxes


class Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


@pytest.fixture
def element() -> BaseDataElement:
    return BaseDataElement(
        metainfo={"size": [4, 5], "name": "a"},
        scores=torch.arange(3.0),
        inner=BaseDataElement(mask=torch.ones(2)),
        array=np.arange(2),
    )


def test_metainfo_and_data_are_two_families_in_writing_order(element: BaseDataElement) -> None:
    element.late = 1

    assert element.metainfo_keys() == ["size", "name"]
    assert element.keys() == ["scores", "inner", "array", "late"]
    assert element.all_keys() == ["size", "name", "scores", "inner", "array", "late"]
    assert element.metainfo == {"size": [4, 5], "name": "a"}
    assert [key for key, _ in element.items()] == element.keys()
    assert [key for key, _ in element.all_items()] == element.all_keys()
    assert element.metainfo_values() == [[4, 5], "a"]
    assert len(element.all_values()) == 6
    assert len(element.values()) == 4


def test_the_key_order_does_not_depend_on_the_hash_seed() -> None:
    code = (
        "from tk_runner.structures import BaseDataElement as E; "
        "print(E(b=1, a=2, zz=3, c=4).keys(), E(metainfo=dict(q=1, p=2)).metainfo_keys())"
    )
    shown = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }

    assert shown == {"['b', 'a', 'zz', 'c'] ['q', 'p']\n"}


def test_metainfo_is_copied_and_data_is_shared() -> None:
    size, scores = [1, 2], torch.ones(2)
    element = BaseDataElement(metainfo={"size": size}, scores=scores)
    size.append(3)

    assert element.size == [1, 2]
    assert element.scores is scores


@pytest.mark.parametrize("write", ["set_metainfo", "set_data"])
def test_only_dicts_are_written_at_once(element: BaseDataElement, write: str) -> None:
    with pytest.raises(FieldTypeError, match="must be a dict"):
        getattr(element, write)([1])
    with pytest.raises(AssertionError):
        getattr(element, write)([1])


def test_a_name_lives_in_one_family(element: BaseDataElement) -> None:
    with pytest.raises(AttributeError, match="'size' is metainfo of this BaseDataElement already"):
        element.size = 1
    with pytest.raises(AttributeError, match="'scores' is a data field"):
        element.set_metainfo({"scores": 1})


@pytest.mark.parametrize("name", ["keys", "to", "metainfo", "clone", "_checked"])
def test_a_field_cannot_hide_a_method(name: str) -> None:
    with pytest.raises(FieldNameError, match=f"'{name}' is a method or attribute"):
        BaseDataElement().set_data({name: 1})


@pytest.mark.parametrize("name", ["_metainfo_fields", "_data_fields"])
def test_the_bookkeeping_cannot_be_written_or_deleted(element: BaseDataElement, name: str) -> None:
    with pytest.raises(AttributeError, match="bookkeeping"):
        setattr(element, name, {})
    with pytest.raises(AttributeError, match="bookkeeping"):
        delattr(element, name)


def test_set_field_checks_family_and_type(element: BaseDataElement) -> None:
    with pytest.raises(AssertionError, match="use 'metainfo' or 'data'"):
        element.set_field(1, "x", field_type="other")  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="'x' of BaseDataElement takes int or float, not str"):
        element.set_field("1", "x", dtype=(int, float))

    element.set_field(1, "x", dtype=int, field_type="metainfo")
    assert element.metainfo_keys()[-1] == "x"


def test_a_typed_property_is_listed_under_its_public_name() -> None:
    sample = Sample(boxes=InstanceData(a=[1, 2]))

    assert sample.keys() == ["boxes"]
    assert "boxes" in sample
    assert "_boxes" in sample
    with pytest.raises(AssertionError, match="takes InstanceData, not dict"):
        sample.boxes = {"a": 1}
    assert sample.get("boxes") is sample.boxes
    assert list(sample.to_dict()) == ["boxes"]
    del sample.boxes
    assert "boxes" not in sample
    assert sample.keys() == []


def test_fields_are_removed_by_del_item_and_pop(element: BaseDataElement) -> None:
    del element.scores
    del element["name"]

    assert element.all_keys() == ["size", "inner", "array"]
    assert element.pop("size") == [4, 5]
    assert element.pop("size", 7) == 7
    with pytest.raises(KeyError, match="no field 'size'; there are inner, array"):
        element.pop("size")
    with pytest.raises(AssertionError, match="one default"):
        element.pop("size", 1, 2)
    with pytest.raises(AttributeError, match="size"):
        element.size


def test_get_and_in_know_both_families(element: BaseDataElement) -> None:
    assert element.get("name") == "a"
    assert element.get("nothing", 3) == 3
    assert "size" in element
    assert "keys" not in element


def test_update_takes_the_fields_of_another(element: BaseDataElement) -> None:
    element.update(BaseDataElement(metainfo={"size": [9]}, scores=1, more=2))

    assert element.size == [9]
    assert (element.scores, element.more) == (1, 2)
    with pytest.raises(AssertionError, match="not dict"):
        element.update({"a": 1})  # type: ignore[arg-type]


def test_new_replaces_a_whole_family_and_shares_the_other(element: BaseDataElement) -> None:
    fresh = element.new(metainfo={"only": 1})
    other = element.new(only=2)

    assert fresh.metainfo == {"only": 1}
    assert fresh.scores is element.scores
    assert other.keys() == ["only"]
    assert other.metainfo == element.metainfo
    assert other.size is not element.size


@pytest.mark.parametrize(
    "copied", [BaseDataElement.clone, copy.deepcopy], ids=["clone", "deepcopy"]
)
def test_a_clone_shares_nothing(element: BaseDataElement, copied) -> None:
    element.parts = [torch.zeros(1)]
    other = copied(element)
    other.scores += 1
    other.inner.mask += 1
    other.array += 1
    other.parts[0] += 1
    other.size.append(1)
    del other.name

    assert element.scores.tolist() == [0, 1, 2]
    assert element.inner.mask.tolist() == [1, 1]
    assert element.array.tolist() == [0, 1]
    assert element.parts[0].item() == 0
    assert element.size == [4, 5]
    assert element.name == "a"


def test_a_clone_lets_gradients_through() -> None:
    weight = torch.ones(1, requires_grad=True)

    BaseDataElement(loss=weight * 3).clone().loss.backward()

    assert weight.grad is not None
    assert weight.grad.item() == 3


def test_copy_has_its_own_field_table(element: BaseDataElement) -> None:
    other = copy.copy(element)
    other.more = 1
    del other.scores

    assert "more" not in element
    assert "scores" in element
    assert other.inner is element.inner


def test_pickling_keeps_fields_and_order(element: BaseDataElement) -> None:
    element.boxes = Sample(boxes=InstanceData(a=[1]))
    other = pickle.loads(pickle.dumps(element))

    assert other.all_keys() == element.all_keys()
    assert torch.equal(other.inner.mask, element.inner.mask)
    assert other.boxes.boxes.a == [1]
    other.late = 1
    assert "late" not in element


def test_to_moves_values_at_any_depth(element: BaseDataElement) -> None:
    element.parts = {"list": [torch.ones(1)], "pair": Pair(torch.ones(1), torch.ones(1))}
    other = element.to(torch.float64)

    assert other.scores.dtype == torch.float64
    assert other.inner.mask.dtype == torch.float64
    assert other.parts["list"][0].dtype == torch.float64
    assert type(other.parts["pair"]) is Pair
    assert other.parts["pair"].left.dtype == torch.float64
    assert element.scores.dtype == torch.float32
    assert other.array is element.array
    assert other.metainfo == element.metainfo


def test_to_the_meta_device_and_cpu_share_what_stays(element: BaseDataElement) -> None:
    assert element.to("meta").inner.mask.device.type == "meta"
    assert element.cpu().scores is element.scores


def test_numpy_and_to_tensor_are_inverse() -> None:
    element = BaseDataElement(
        grad=torch.ones(2, requires_grad=True),
        inner=BaseDataElement(a=torch.ones(1)),
        parts=[torch.ones(1)],
    )
    arrays = element.numpy()

    assert isinstance(arrays.grad, np.ndarray)
    assert isinstance(arrays.inner.a, np.ndarray)
    assert isinstance(arrays.parts[0], np.ndarray)
    tensors = arrays.to_tensor()
    assert torch.equal(tensors.grad, torch.ones(2))
    assert torch.equal(tensors.inner.a, torch.ones(1))


def test_detach_cuts_the_graph() -> None:
    element = BaseDataElement(a=torch.ones(1, requires_grad=True))

    assert not element.detach().a.requires_grad
    assert element.a.requires_grad


def test_to_dict_is_plain_at_any_depth(element: BaseDataElement) -> None:
    element.parts = [BaseDataElement(x=1)]
    plain = element.to_dict()

    assert list(plain) == ["size", "name", "scores", "inner", "array", "parts"]
    assert list(plain["inner"]) == ["mask"]
    assert plain["parts"] == [{"x": 1}]


def test_pin_memory_reaches_every_tensor(element: BaseDataElement, monkeypatch) -> None:
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda self: self + 100)
    element.parts = [torch.zeros(1)]

    pinned = torch.utils.data._utils.pin_memory.pin_memory([element])[0]

    assert pinned.scores[0] == 100
    assert pinned.inner.mask[0] == 101
    assert pinned.parts[0] == 100
    assert type(pinned) is BaseDataElement


@pytest.mark.cuda
def test_a_loader_pins_and_cuda_moves() -> None:
    loader = torch.utils.data.DataLoader(
        [BaseDataElement(a=torch.ones(1)) for _ in range(4)],  # type: ignore[arg-type]
        batch_size=2,
        collate_fn=list,
        pin_memory=True,
    )

    batch = next(iter(loader))

    assert all(element.a.is_pinned() for element in batch)
    assert batch[0].to("cuda", non_blocking=True).a.is_cuda
    assert batch[0].cuda().cpu().a.device.type == "cpu"


def test_repr_has_two_sections_and_indents_what_is_nested() -> None:
    element = BaseDataElement(metainfo={"size": 4}, inner=BaseDataElement(a=[1]))

    assert repr(element) == (
        f"<BaseDataElement(\n\n    META INFORMATION\n    size: 4\n\n    DATA FIELDS\n"
        f"    inner: <BaseDataElement(\n\n            META INFORMATION\n\n"
        f"            DATA FIELDS\n            a: [1]\n        ) at {id(element.inner):#x}>\n"
        f") at {id(element):#x}>"
    )
