from __future__ import annotations

import enum
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tk_logging import NotPlainError, PlainConverter


class Mode(enum.IntEnum):
    TRAIN = 1


Pair = namedtuple("Pair", ["a", "b"])


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float32(0.5), 0.5),
        (np.arange(2), [0, 1]),
        (Path("a/b"), "a/b"),
        (Mode.TRAIN, 1),
        ({3, 1}, [1, 3]),
        (Pair(1, Path("x")), (1, "x")),
        ({Path("a"): [None, True]}, {"a": [None, True]}),
    ],
)
def test_a_value_becomes_the_builtin_that_stands_for_it(value: Any, plain: Any) -> None:
    converted = PlainConverter().of(value, "it")

    assert converted == plain
    assert type(converted) is type(plain)


def test_all_that_has_no_plain_form_is_named_at_once_by_its_path() -> None:
    converter = PlainConverter()
    ring: list[Any] = []
    ring.append(ring)
    converter.of({"a": [object()], "b": ring, "c": 1 << 2040}, "info")

    assert converter.refusals == [
        "info.a[0] is a object",
        "info.b[0] is a list that contains itself",
        "info.c is a int of 2041 bits",
    ]
    with pytest.raises(NotPlainError, match=r"- info\.a\[0\] is a object\n- info\.b"):
        converter.raise_refusals()


def test_a_tensor_is_copied_without_its_graph() -> None:
    torch = pytest.importorskip("torch")
    weight = torch.ones(2, requires_grad=True)

    copy = PlainConverter().of([weight], "it")[0]

    assert not copy.requires_grad
    assert copy.data_ptr() != weight.data_ptr()
