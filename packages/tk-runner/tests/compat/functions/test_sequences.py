"""Kinds of values and sequences."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tk_runner.compat.functions import sequences


class Pair(NamedTuple):
    left: Any
    right: Any


def test_items_are_cast() -> None:
    assert list(sequences.iter_cast(["1", "2"], int)) == [1, 2]
    assert sequences.list_cast((1, 2), str) == ["1", "2"]
    assert sequences.tuple_cast([1.5], int) == (1,)


@pytest.mark.parametrize(("inputs", "kind"), [(1, int), ([1], "int")])
def test_what_cannot_be_cast_is_an_error(inputs: Any, kind: Any) -> None:
    with pytest.raises(TypeError, match=r"inputs must be iterable|dst_type must be a type"):
        sequences.iter_cast(inputs, kind)


@pytest.mark.parametrize(
    ("sequence", "kind", "expected"),
    [(["a"], str, True), (["a", 1], str, False), (["a", 1], (str, int), True), (1, int, False)],
)
def test_the_items_of_a_sequence_are_checked(sequence: Any, kind: Any, expected: bool) -> None:
    assert sequences.is_seq_of(sequence, kind) is expected


def test_lists_and_tuples_are_told_apart() -> None:
    assert sequences.is_list_of([1], int)
    assert not sequences.is_list_of((1,), int)
    assert sequences.is_tuple_of((1,), int)
    assert not sequences.is_tuple_of([1], int)


def test_a_list_is_cut_and_joined() -> None:
    assert sequences.slice_list([1, 2, 3, 4], 2) == [[1, 2], [3, 4]]
    assert sequences.slice_list([1, 2, 3], [1, 2]) == [[1], [2, 3]]
    assert sequences.concat_list([[1], [], [2, 3]]) == [1, 2, 3]


@pytest.mark.parametrize(
    ("lens", "error"), [([1, 1], ValueError), ("3", TypeError), (2, AssertionError)]
)
def test_lengths_that_do_not_fit_are_an_error(lens: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        sequences.slice_list([1, 2, 3], lens)


def test_a_value_is_repeated_and_an_iterable_is_left() -> None:
    assert sequences.to_2tuple(3) == (3, 3)
    assert sequences.to_4tuple((1, 2)) == (1, 2)
    assert sequences.to_ntuple(5)(0) == (0,) * 5


def test_a_function_is_applied_to_some_leaves_of_a_nest() -> None:
    nest = {"a": [1, "x"], "b": Pair(2, (3,))}

    changed = sequences.apply_to(nest, lambda leaf: isinstance(leaf, int), lambda leaf: leaf * 10)

    assert changed == {"a": [10, "x"], "b": Pair(20, (30,))}


def test_methods_are_looked_for() -> None:
    class Base:
        def run(self) -> None: ...

    class Child(Base):
        def run(self) -> None: ...

    class Heir(Base): ...

    assert sequences.has_method(Child(), "run")
    assert not sequences.has_method(Child(), "walk")
    assert sequences.is_method_overridden("run", Base, Child())
    assert not sequences.is_method_overridden("run", Base, Heir)
