from __future__ import annotations

from typing import Any

import pytest

from tk_config import Config, ConfigParsingError

HEAD = "from tk_config import read_base\nwith read_base():\n    "


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("import json", "only `from ... import ...` may stand"),
        ("x = 1", "only `from ... import ...` may stand"),
        ("from . import base", "names no file"),
        ("from json import x", "'json' is a package, not a config"),
    ],
)
def test_what_names_no_config_is_refused_with_its_line(write: Any, line: str, said: str) -> None:
    with pytest.raises(ConfigParsingError, match=rf"a\.py:3: .*{said}"):
        Config.fromfile(write(a_py=HEAD + line + "\n"))


def test_an_empty_block_inherits_nothing(write: Any) -> None:
    assert Config.fromfile(write(a_py=HEAD + "pass\nx = 1\n")) == {"x": 1}
