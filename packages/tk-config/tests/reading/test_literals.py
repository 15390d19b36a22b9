"""Values without code are exactly what Python computes."""

from __future__ import annotations

from typing import Any

import pytest

from tk_config import Config


@pytest.mark.parametrize(
    "expression",
    [
        "dict(a=1, b=dict(c=[1, (2, 3)]), d={'e': None, 5: 'f'})",
        "[-1, -2.5, +3, 1 + 2, 7 - 9.5, 3 * 4, 1 / 8, 2 ** 5, 7 // 2]",
        "(1,)",
        "[]",
        "{'a': 1, **dict(b=2)}",
        "dict([('a', 1)], b=2)",
        "[*range(3)]",
        "-True",
        "'%d' % 5",
        "b'\\x00'",
        "...",
        "1 + 2j",
    ],
)
@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "as data"])
def test_an_expression_gives_what_python_gives(expression: str, trusted: bool) -> None:
    cfg = Config.fromstring(f"x = {expression}\n", ".py", trusted=trusted)

    assert cfg.to_dict()["x"] == eval(expression)
    assert type(cfg.to_dict()["x"]) is type(eval(expression))


def test_names_bound_above_are_read_and_shadow_builtins(write: Any) -> None:
    text = "def dict(**kw):\n    return list(kw)\nn = 3\na = [n, dict(b=n)]\n"

    assert Config.fromfile(write(a_py=text)) == {"n": 3, "a": [3, ["b"]]}


def test_a_failing_expression_is_reported_with_its_line(write: Any) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        Config.fromfile(write(a_py="a = 1\nb = 1 / 0\n"))

    assert caught.traceback[-1].lineno + 1 == 2
