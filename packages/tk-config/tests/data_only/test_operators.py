from __future__ import annotations

import pytest

from tk_config import Config, ConfigParsingError, UnsafeConfigError


@pytest.mark.parametrize(
    "expression",
    [
        "7 // 2 + 7 % 4 - 2 ** 3 * 1.5",
        "[1] * 3 + [2]",
        "'a%d' % 5",
        "{'a': 1} | {'b': 2}",
        "1 < 2 <= 2 != 3",
        "3 in [1, 2, 3] and 'x' not in 'abc'",
        "~5 << 2 | 1 & 3 ^ 6",
        "not []",
    ],
)
def test_operators_give_what_python_gives(expression: str) -> None:
    assert Config.fromstring(f"x = {expression}\n", ".py").x == eval(expression)


@pytest.mark.parametrize(
    "expression", ["2 ** 99999", "'a' * 10 ** 9", "1 << 20000", "'%999999d' % 1"]
)
def test_a_result_that_would_be_huge_is_refused(expression: str) -> None:
    with pytest.raises(UnsafeConfigError, match="<text>:1: "):
        Config.fromstring(f"x = {expression}\n", ".py")


def test_operands_that_do_not_fit_are_a_mistake_with_its_line() -> None:
    with pytest.raises(ConfigParsingError, match="<text>:1: TypeError"):
        Config.fromstring("x = [1] + 'a'\n", ".py")
