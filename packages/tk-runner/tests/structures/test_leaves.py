from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple

from tk_runner.structures.leaves import map_leaves

Pair = namedtuple("Pair", "a b")


def test_containers_are_rebuilt_with_their_types() -> None:
    value = {"l": [1, (2, 3)], "p": Pair(4, OrderedDict(x=5))}
    doubled = map_leaves(lambda leaf: leaf * 2, value)

    assert doubled == {"l": [2, (4, 6)], "p": Pair(8, OrderedDict(x=10))}
    assert type(doubled["p"]) is Pair
    assert type(doubled["p"].b) is OrderedDict
    assert value["l"] == [1, (2, 3)]


def test_a_mapping_that_is_built_in_another_way_becomes_a_dict() -> None:
    value = defaultdict(list, {"a": 1})

    assert map_leaves(str, value) == {"a": "1"}
