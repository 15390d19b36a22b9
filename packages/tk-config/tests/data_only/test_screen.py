from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tk_config import Config, UnsafeConfigError

DEEP = {
    "attributes": "x = a" + ".b" * 100_000,
    "calls": "x = a" + "()" * 100_000,
    "items": "x = a" + "[0]" * 100_000,
    "signs": "x = " + "-" * 100_000 + "1",
    "nots": "x = " + "not " * 100_000 + "1",
    "sums": "x = 1" + "+1" * 100_000,
    "powers": "x = 1" + "**1" * 100_000,
    "choices": "x = " + "1 if 1 else " * 50_000 + "1",
    "brackets": "x = " + "(" * 100_000,
    "lambdas": "x = " + "lambda: " * 50_000 + "1",
    "elifs": "if 0:\n    x = 1\n" + "elif 0:\n    x = 1\n" * 20_000,
    "f-strings": "x = " + "f'{" * 100 + "1" + "}'" * 100,
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_syntax_is_refused_without_harm_to_the_process(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(DEEP[name])
    code = (
        "import sys\nfrom tk_config import Config, ConfigParsingError\n"
        "try:\n    Config.fromfile(sys.argv[1], trusted=False)\n"
        "except ConfigParsingError as error:\n    print('refused', str(error)[-300:])\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 0, done.stderr[-2000:]
    assert "refused" in done.stdout


def test_what_every_config_knows_about_itself_may_be_read(write: Any) -> None:
    path = write(a_py="f = __file__\nif __name__ == '__main__':\n    f = build(f)\n    print(f)\n")

    assert Config.fromfile(path, trusted=False) == Config.fromfile(path) == {"f": str(path)}
    with pytest.raises(UnsafeConfigError, match=r"<text>:1: .*two underscores"):
        Config.fromstring("__name__ = 5\n", ".py")
