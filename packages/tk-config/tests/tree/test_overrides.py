from __future__ import annotations

from typing import Any

import pytest

from tk_config import Config, MergeError, MissingKeyError


def changed(options: dict[str, Any], **values: Any) -> Any:
    cfg = Config(values)
    cfg.merge_from_dict(options)
    return cfg.to_dict()


@pytest.mark.parametrize(
    ("options", "values", "expected"),
    [
        ({"a.b": 2}, {"a": {"b": 1, "c": 3}}, {"a": {"b": 2, "c": 3}}),
        ({"a.b.c": 1}, {}, {"a": {"b": {"c": 1}}}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": 1, "d": 2}}}),
        ({"a": {"_delete_": True, "c": 1}}, {"a": {"b": 1}}, {"a": {"c": 1}}),
        ({"a.0.b": 2}, {"a": [{"b": 1}, {"b": 1}]}, {"a": [{"b": 2}, {"b": 1}]}),
        ({"a.b.0": 5}, {"a": {"b": [1, 2]}}, {"a": {"b": [5, 2]}}),
        ({"a.-1": 5}, {"a": [1, 2]}, {"a": [1, 5]}),
        ({"a.1.0": 5}, {"a": [1, [2, 3]]}, {"a": [1, [5, 3]]}),
        ({"a.0": 5}, {"a": (1, 2)}, {"a": (5, 2)}),
        ({"a.+": 3}, {"a": [1, 2]}, {"a": [1, 2, 3]}),
        ({"a.+": {"b": 1}}, {"a": []}, {"a": [{"b": 1}]}),
        ({"a.0": "_delete_"}, {"a": [1, 2]}, {"a": [2]}),
        ({"a.b": "_delete_"}, {"a": {"b": 1, "c": 2}}, {"a": {"c": 2}}),
        ({"a": [7]}, {"a": [1, 2]}, {"a": [7]}),
        ({"a.0": {"b": 2}}, {"a": [{"b": 1, "c": 3}]}, {"a": [{"b": 2, "c": 3}]}),
        ({"a.0": {"_delete_": True, "b": 2}}, {"a": [{"c": 3}]}, {"a": [{"b": 2}]}),
        ({"a.1": 2}, {"a": {1: 1}}, {"a": {1: 2}}),
        ({"x.y": 2}, {"x.y": 1}, {"x.y": 2}),
    ],
    ids=[
        "a nested value", "missing dicts are made", "a dict is merged", "delete replaces a dict",
        "into a dict of a list", "a plain list element", "from the end", "a nested list",
        "a tuple", "append", "append a dict", "remove an element", "remove a key",
        "a whole list", "merge into an element", "replace an element", "an integer key",
        "a key with a dot",
    ],
)  # fmt: skip
def test_a_dotted_path_addresses(options: Any, values: Any, expected: Any) -> None:
    assert changed(options, **values) == expected


@pytest.mark.parametrize("index", ["2", "9", "-3"])
def test_a_position_past_either_end_names_the_list(index: str) -> None:
    with pytest.raises(MissingKeyError, match=rf"position {index} .* list of 2 items.*append"):
        changed({f"a.{index}": 1}, a=[1, 2])


def test_a_word_does_not_address_a_list() -> None:
    with pytest.raises(KeyError, match=r"'first' in 'a\.first' addresses a list"):
        changed({"a.first": 1}, a=[1])


def test_lists_are_closed_to_positions_on_request() -> None:
    cfg = Config({"a": [1]})

    with pytest.raises(TypeError, match="allow_list_keys=False"):
        cfg.merge_from_dict({"a.0": 2}, allow_list_keys=False)


@pytest.mark.parametrize("options", [{"a": {"b": 1}}, {"a.b": 1}, {"a.b.c": 1}])
def test_a_dict_over_a_plain_value_is_an_error(options: Any) -> None:
    with pytest.raises(MergeError, match=r"a: a dict .*cannot be merged into 5"):
        changed(options, a=5)


def test_removing_what_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError, match="no key 'b'"):
        changed({"a.b": "_delete_"}, a={"c": 1})


def test_options_must_be_a_dict() -> None:
    with pytest.raises(TypeError, match="a dict of dotted paths"):
        Config().merge_from_dict([("a", 1)])  # type: ignore[arg-type]


def test_the_values_given_are_not_shared_with_the_config() -> None:
    value = {"b": [1]}
    cfg = Config()
    cfg.merge_from_dict({"a": value, "c.d": value})
    cfg.a.b.append(2)

    assert value == {"b": [1]}
    assert cfg.c.d.b == [1]
