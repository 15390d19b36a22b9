from __future__ import annotations

import enum
import io
from collections import Counter, OrderedDict, defaultdict, namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from small_states import same
from torch import nn

from tk_logging import NotPlainError
from tk_runner.checkpoint import check_plain, plain_values


class Mode(enum.IntEnum):
    TRAIN = 1


class Colour(str, enum.Enum):
    RED = "red"


class Special(torch.Tensor):
    pass


Pair = namedtuple("Pair", ["a", "b"])


def through_the_safe_loader(value: Any) -> Any:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=True)


CASES = {
    "numpy float": (np.float32(0.5), 0.5),
    "numpy integer": (np.int64(3), 3),
    "numpy bool": (np.bool_(True), True),
    "numpy text": (np.str_("a"), "a"),
    "scalar array": (np.array(2.5), 2.5),
    "array": (np.arange(3), torch.arange(3)),
    "array of the other byte order": (np.arange(3, dtype=">i8"), torch.arange(3)),
    "array of texts": (np.array(["a", "b"]), ["a", "b"]),
    "path": (Path("a/b"), "a/b"),
    "IntEnum": (Mode.TRAIN, 1),
    "StrEnum": (Colour.RED, "red"),
    "set": ({3, 1, 2}, [1, 2, 3]),
    "mixed set": (frozenset({"b", 1, "a"}), [1, "a", "b"]),
    "namedtuple": (Pair(1, Path("x")), (1, "x")),
    "defaultdict": (defaultdict(list, a=[1]), {"a": [1]}),
    "Counter": (Counter("aab"), {"a": 2, "b": 1}),
    "OrderedDict": (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
    "range": (range(3), [0, 1, 2]),
    "bytearray": (bytearray(b"ab"), b"ab"),
    "size": (torch.Size([2, 3]), (2, 3)),
    "parameter": (nn.Parameter(torch.ones(2)), torch.ones(2)),
    "tensor of a class": (torch.ones(2).as_subclass(Special), torch.ones(2)),
    "key": ({Path("a"): 1, np.int64(2): 2}, {"a": 1, 2: 2}),
    "dtype and device": (
        [torch.bfloat16, torch.device("cpu")],
        [torch.bfloat16, torch.device("cpu")],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_value_becomes_the_plain_one_that_the_safe_loader_reads(case: str) -> None:
    value, expected = CASES[case]

    plain = plain_values({"it": value})["it"]

    assert same(plain, expected)
    assert same(through_the_safe_loader(plain), expected)
    assert type(plain) is type(expected)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**2000), 2**2000)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.complex_numbers(allow_nan=False),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers(-9, 9) | st.tuples(st.text()), inner)
    ),
    max_leaves=10,
)


@settings(max_examples=60, deadline=None)
@given(PLAIN)
def test_plain_values_stay_what_they_are(value: Any) -> None:
    plain = plain_values(value)

    assert plain == value
    assert through_the_safe_loader(plain) == value


def test_a_tensor_is_shared_and_loses_its_graph_and_attributes() -> None:
    weight = torch.ones(3, requires_grad=True)
    weight.note = object()  # type: ignore[attr-defined]

    plain = plain_values([weight])[0]

    assert plain.data_ptr() == weight.data_ptr()
    assert not plain.requires_grad
    assert not hasattr(plain, "note")


def test_the_versions_of_modules_stay() -> None:
    state = nn.BatchNorm1d(2).state_dict()

    plain = through_the_safe_loader(plain_values({"state_dict": state}))["state_dict"]

    assert plain._metadata == state._metadata  # type: ignore[attr-defined]


REFUSED = {
    "object": object(),
    "function": len,
    "class": dict,
    "enum": enum.Enum("Side", "LEFT").LEFT,  # type: ignore[attr-defined]
    "module": nn.Identity(),
    "array of objects": np.array([object()]),
    "array of dates": np.array(["2020-01-01"], dtype="datetime64"),
    "long double": np.zeros(1, dtype=np.clongdouble),
    "huge number": 1 << 2040,
    "set without order": {1 + 2j, 3j},
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_plain_form_is_refused_with_its_path(case: str) -> None:
    with pytest.raises(NotPlainError, match=r"- hooks\.EMAHook\[1\]\.best is a "):
        plain_values({"hooks": {"EMAHook": [0, {"best": REFUSED[case]}]}})


def test_all_that_is_refused_is_named_at_once() -> None:
    with pytest.raises(NotPlainError) as caught:
        plain_values({"a": object(), "b": [print], "c": 1})

    assert "- a is a object\n- b[0] is a builtin_function_or_method" in str(caught.value)


def test_a_container_that_contains_itself_is_refused() -> None:
    ring: list[Any] = [1]
    ring.append(ring)

    with pytest.raises(NotPlainError, match=r"- ring\[1\] is a list that contains itself"):
        plain_values({"ring": ring})


def test_one_value_in_two_places_is_no_ring() -> None:
    shared = [1]

    assert plain_values({"a": shared, "b": shared}) == {"a": [1], "b": [1]}


def test_two_keys_that_become_one_are_refused() -> None:
    with pytest.raises(NotPlainError, match="whose plain form 'a' is another key as well"):
        plain_values({"a": 1, Path("a"): 2})


def test_parts_are_checked_before_a_run_under_their_names() -> None:
    check_plain({"hooks.Good": {"n": np.int64(1)}, "message_hub": {}})

    with pytest.raises(NotPlainError, match=r"- hooks\.Bad\.model is a torch\.nn\..*Identity"):
        check_plain({"hooks.Good": {}, "hooks.Bad": {"model": nn.Identity()}})
