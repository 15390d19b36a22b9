from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import Any

import pytest

from tk_config import Config


def read(text: str) -> Config:
    return Config.fromstring(text, ".py")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[1, 'a', (2,), {3}, b'x', None]", [1, "a", (2,), {3}, b"x", None]),
        ("[True, 1j, ..., -0.5]", [True, 1j, ..., -0.5]),
        ("dict(a=1, b=dict(c=2))", {"a": 1, "b": {"c": 2}}),
        ("{'a b': 1, **{'c': 2}}", {"a b": 1, "c": 2}),
        ("dict({'a': 1}, b=2)", {"a": 1, "b": 2}),
        ("dict(zip('ab', [1, 2]))", {"a": 1, "b": 2}),
        ("1 + 2 * 3 - 4 / 2 // 1 % 3 ** 2", 5.0),
        ("-1 + +2 + ~3", -3),
        ("1 << 4 | 3 & 1 ^ 2", 19),
        ("'a' * 3 + 'b'", "aaab"),
        ("[1, 2] * 2 + [3]", [1, 2, 1, 2, 3]),
        ("(1, 2) + (3,)", (1, 2, 3)),
        ("1 < 2 <= 2 != 3", True),
        ("'a' in 'abc' and 1 not in [2] and None is None", True),
        ("0 or [] or 'x'", "x"),
        ("1 and 0", 0),
        ("not 1", False),
        ("1 if 2 > 3 else 4", 4),
        ("f'{1 + 1:03d}-{3.14159:.2f}-{\"a\"!r}-{[1]}'", "002-3.14-'a'-[1]"),
        ("[i * 2 for i in range(6) if i % 2]", [2, 6, 10]),
        ("[(i, j) for i in range(2) for j in 'ab']", [(0, "a"), (0, "b"), (1, "a"), (1, "b")]),
        ("{k: v for k, v in dict(a=1).items()}", {"a": 1}),
        ("sorted({i % 3 for i in range(9)})", [0, 1, 2]),
        ("sum(i for i in [1, 2, 3])", 6),
        ("[1, 2, 3, 4][1:-1], 'abc'[::-1], (1, 2)[0]", ([2, 3], "cba", 1)),
        ("max(1, 2), min([3, 4]), abs(-5), round(2.567, 1)", (2, 3, 5, 2.6)),
        ("int('7'), float('inf'), str(1), bool([]), len('abc')", (7, math.inf, "1", False, 3)),
        ("list(enumerate('ab')), tuple(reversed([1, 2]))", ([(0, "a"), (1, "b")], (2, 1))),
        ("any([0, 1]), all([]), divmod(7, 2)", (True, True, (3, 1))),
        ("'{}-{a}'.format(1, a=2)", "1-2"),
        ("'%s %d %.2f' % ('a', 1, 2.5)", "a 1 2.50"),
        ("'a,b'.split(','), '-'.join(['a', 'b']), ' a '.strip()", (["a", "b"], "a-b", "a")),
        ("'a.b'.replace('.', '/').upper()", "A/B"),
        ("dict(a=1).get('b', 2), list(dict(a=1).keys())", (2, ["a"])),
        ("{1, 2}.union({3}), {1} | {2}", ({1, 2, 3}, {1, 2})),
        ("{'a': 1} | {'b': 2}", {"a": 1, "b": 2}),
        ("[*[1, 2], *(3,)]", [1, 2, 3]),
        ("complex(1, 2), frozenset([1]), slice(1, 2)", (1 + 2j, frozenset([1]), slice(1, 2))),
        ("list(range(3))", [0, 1, 2]),
    ],
)  # fmt: skip
def test_an_expression_of_real_configs_gives_what_python_gives(expression: str, value: Any) -> None:
    assert read(f"x = {expression}").to_dict() == {"x": value}


def test_dates_paths_and_constants_stand_for_themselves() -> None:
    cfg = read(
        "import datetime, pathlib, math\nfrom pathlib import Path\nfrom copy import deepcopy\n"
        "a = datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)\n"
        "b = pathlib.Path('x/y')\nc = Path('z')\nd = math.pi\ne = deepcopy([1])\n"
    )

    assert cfg == {
        "a": datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc),
        "b": Path("x/y"), "c": Path("z"), "d": math.pi, "e": [1],
    }  # fmt: skip
