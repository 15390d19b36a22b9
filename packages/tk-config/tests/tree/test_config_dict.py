from __future__ import annotations

import copy
import pickle
from collections import OrderedDict, defaultdict
from collections.abc import ItemsView, ValuesView
from typing import Any

import addict
import pytest

from tk_config import ConfigDict, LazyObject, MissingKeyError


def test_plain_dicts_become_nodes_also_in_lists_and_tuples() -> None:
    node = ConfigDict(a={"b": 1}, c=[{"d": 2}, ({"e": 3},)], f=OrderedDict(g=4))

    assert node.a.b == 1
    assert node.c[0].d == 2
    assert node.c[1][0].e == 3
    assert type(node.f) is ConfigDict


def test_a_node_is_an_addict_dict_without_its_weak_spots() -> None:
    node = ConfigDict(a={"b": 1}, c=[{}])

    assert isinstance(node, addict.Dict)
    assert isinstance(node.c[0], addict.Dict)
    with pytest.raises(AttributeError, match="no key 'x'"):
        node.a.x
    assert node == {"a": {"b": 1}, "c": [{}]}
    assert type(node.deepcopy()) is type({"z": 1} | node) is ConfigDict
    assert vars(ConfigDict(a=1)) == {}


def test_other_subclasses_of_dict_are_kept() -> None:
    custom = defaultdict(list, x=[1])

    assert ConfigDict(a=custom).a is custom


def test_two_keys_never_share_a_container() -> None:
    shared = {"x": [1]}
    node = ConfigDict(a=shared, b=shared)
    node.a.x.append(2)

    assert node.b.x == [1]
    assert shared == {"x": [1]}


def test_a_missing_attribute_and_a_missing_key_raise_what_python_expects() -> None:
    node = ConfigDict(learning_rate=1)

    with pytest.raises(AttributeError, match="did you mean 'learning_rate'"):
        node.learning_rat
    with pytest.raises(KeyError, match="did you mean 'learning_rate'"):
        node["learning_rat"]
    assert not hasattr(node, "nothing")


def test_pop_raises_for_a_missing_key_unless_a_default_is_given() -> None:
    node = ConfigDict(a=1)

    assert node.pop("a") == 1
    assert node.pop("a", None) is None
    with pytest.raises(MissingKeyError, match="no key 'a'"):
        node.pop("a")


def test_items_and_values_are_views() -> None:
    for node in (ConfigDict(a=1), ConfigDict(a=LazyObject("math", "pi"))):
        items, values = node.items(), node.values()
        node["b"] = 2

        assert isinstance(items, ItemsView)
        assert isinstance(values, ValuesView)
        assert len(items) == len(values) == 2


def test_update_merges_dicts_and_replaces_the_rest() -> None:
    node = ConfigDict(a={"x": 1, "y": 2}, b=[1, 2])
    node.update({"a": {"x": 5}}, b=[3])

    assert node == {"a": {"x": 5, "y": 2}, "b": [3]}
    with pytest.raises(TypeError, match="at most 1 positional"):
        node.update({}, {})


def test_update_may_put_a_dict_over_a_value() -> None:
    node = ConfigDict(a=1)
    node.update(a={"x": 1})

    assert node.a.x == 1


def test_merge_honours_the_delete_marker() -> None:
    node = ConfigDict(a={"x": 1, "y": {"z": 2}})
    node.merge({"a": {"_delete_": True, "w": {"_delete_": True, "v": 3}}})

    assert node == {"a": {"w": {"v": 3}}}

    node.merge({"_delete_": True, "b": 1})
    assert node == {"b": 1}


def test_setdefault_and_the_or_operators_convert_like_assignment() -> None:
    node = ConfigDict()
    assert node.setdefault("a", {"b": 1}).b == 1
    node |= {"c": {"d": 2}}
    joined = node | {"e": {"f": 3}}

    assert node.c.d == 2
    assert joined.e.f == 3
    assert "e" not in node


def test_a_key_named_like_a_method_is_reached_by_item_only() -> None:
    node = ConfigDict({"items": 1})

    assert node["items"] == 1
    assert callable(node.items)
    with pytest.raises(AttributeError, match=r"write cfg\['items'\]"):
        node.items = 2  # type: ignore[method-assign,assignment]


def test_copies_keep_lazy_values_unbuilt() -> None:
    node = ConfigDict(a=LazyObject("no_such_module_here"), b=[LazyObject("nor_this")])

    for other in (copy.copy(node), copy.deepcopy(node), pickle.loads(pickle.dumps(node))):
        assert other.to_dict() == {"a": "no_such_module_here", "b": ["nor_this"]}


def test_deepcopy_copies_every_container() -> None:
    node = ConfigDict(a=[{"b": (1, [2])}])
    other = copy.deepcopy(node)
    other.a[0].b[1].append(3)

    assert node.a[0].b == (1, [2])


def test_lazy_values_are_built_when_they_are_read() -> None:
    node = ConfigDict(a=LazyObject("math", "pi"), b=1)

    values: list[Any] = [
        node.a,
        node["a"],
        node.get("a"),
        dict(node.items())["a"],
        next(iter(node.values())),
        {**node}["a"],
        dict(**node)["a"],
        node.build_lazy(LazyObject("math", "pi")),
        copy.copy(node).pop("a"),
    ]

    assert all(value == pytest.approx(3.14159, abs=1e-5) for value in values)
    assert node.to_dict() == {"a": "math.pi", "b": 1}
    assert isinstance(node._to_lazy_dict()["a"], LazyObject)


def test_a_lazy_value_added_later_is_built_as_well() -> None:
    node = ConfigDict(a=1)
    node.b = LazyObject("math", "tau")

    assert node.b == pytest.approx(6.28318, abs=1e-5)


def test_nodes_are_equal_by_value_to_nodes_and_dicts() -> None:
    assert ConfigDict(a=[{"b": 1}]) == ConfigDict(a=[{"b": 1}]) == {"a": [{"b": 1}]}
    assert ConfigDict(a=LazyObject("x", "y")) == ConfigDict(a=LazyObject("x.y"))


def test_dir_lists_the_keys_for_completion() -> None:
    assert {"alpha", "keys"} <= set(dir(ConfigDict(alpha=1)))


def test_attributes_can_be_deleted() -> None:
    node = ConfigDict(a=1)
    del node.a

    assert node == {}
    with pytest.raises(AttributeError, match="no key 'a'"):
        del node.a
    with pytest.raises(KeyError, match="no key 'a'"):
        del node["a"]
