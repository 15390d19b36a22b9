from __future__ import annotations

from typing import Any

import pytest

from tk_config import Config, UnsafeConfigError


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("dict([('a', 1)], b=2)", {"a": 1, "b": 2}),
        ("sorted([3, 1, 2], reverse=True)", [3, 2, 1]),
        ("round(2.567, 1)", 2.6),
        ("' a,b '.strip().split(',')", ["a", "b"]),
        ("'{}-{:03d}'.format('a', 7)", "a-007"),
        ("dict(a=1).get('b', 5)", 5),
        ("list(dict(a=1).items())", [("a", 1)]),
        ("sum([1, 2.5])", 3.5),
        ("min(3, 1)", 1),
        ("int('12', 3)", 5),
    ],
)
def test_a_function_or_method_of_the_list_gives_what_python_gives(
    expression: str, value: Any
) -> None:
    assert Config.fromstring(f"x = {expression}\n", ".py").x == value == eval(expression)


@pytest.mark.parametrize(
    "expression",
    ["'{0.real}'.format(1)", "'{0[0]}'.format([1])", "'{:9999}'.format(1)", "int('1' * 2000)"],
)
def test_a_call_that_reaches_too_far_is_refused(expression: str) -> None:
    with pytest.raises(UnsafeConfigError, match="<text>:1: "):
        Config.fromstring(f"x = {expression}\n", ".py")


def test_a_deep_copy_is_updated_like_what_it_was_copied_from() -> None:
    text = "import copy\na = dict(x=dict(b=1))\nc = copy.deepcopy(a)\nc.update(x=dict(d=2))\n"
    cfgs = [Config.fromstring(text, ".py", trusted=trusted) for trusted in (True, False)]

    assert cfgs[0].c == cfgs[1].c == {"x": {"d": 2}}


def test_a_dict_is_put_into_a_list_as_it_is() -> None:
    text = (
        "a = []\nfor i in range(2):\n    a.append(dict(n=i))\na.insert(0, dict(n=9))\n"
        "b = a.index(dict(n=1))\na.extend(dict(k=1))\n"
    )
    cfgs = [Config.fromstring(text, ".py", trusted=trusted) for trusted in (True, False)]

    assert cfgs[0] == cfgs[1]
    assert cfgs[1].a == [{"n": 9}, {"n": 0}, {"n": 1}, "k"]
