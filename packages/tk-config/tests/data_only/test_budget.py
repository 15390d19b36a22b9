"""Small texts that ask for much are refused before it is made."""

from __future__ import annotations

import pytest

from tk_config import Config, UnsafeConfigError

COSTLY = {
    "equal hashes in a set": "x = set([i * (2 ** 61 - 1) for i in range(100000)])",
    "equal hashes in a set display": "x = {*[i * (2 ** 61 - 1) for i in range(30000)]}",
    "equal hashes of small keys": "x = set([(2 ** 61 - 1) * (i % 9000) for i in range(9000)])",
    "equal hashes in dict()": "x = dict([(i * (2 ** 61 - 1), 1) for i in range(20000)])",
    "equal hashes added to a set": "x = set()\nx.update([i * (2 ** 61 - 1) for i in range(20000)])",
    "digits": "x = str([1 << 9990] * 300000)",
    "digits in an f-string": "a = [1 << 9990] * 300000\nx = f'{a}'",
    "one list in many fields": "a = [123456789] * 100000\nx = ('{0}' * 1000).format(a)",
    "one value in many percents": "x = ('%(a)s' * 10000) % dict(a='y' * 100000)",
    "one long part in many of a path": (
        "import pathlib\nx = pathlib.PurePosixPath(*(['a' * 300000] * 20000))"
    ),
    "one long path in many texts": (
        "import pathlib\np = pathlib.PurePosixPath('a' * 300000)\nx = [f'{p}' for i in range(9)]"
    ),
    "an integer that grows by sums": "x = 1 << 9990\nfor i in range(500):\n    x = x + x",
    "many texts in one": "x = 'a'.join(['b' * 1000] * 100000)",
}


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY)
def test_a_costly_value_is_refused(text: str) -> None:
    with pytest.raises(UnsafeConfigError, match="refused in a config that is read as data"):
        Config.fromstring(text, ".py")


def test_many_ordinary_keys_are_no_attack() -> None:
    text = "x = {i: 0 for i in range(5000)}\ny = set([1] * 5000)\nz = set(range(5000))\n"
    cfg = Config.fromstring(text, ".py")

    assert (len(cfg.x), len(cfg.y), len(cfg.z)) == (5000, 1, 5000)
