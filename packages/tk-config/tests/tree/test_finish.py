from __future__ import annotations

from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigParsingError,
)


def test_a_dict_that_holds_itself_is_an_error(write: Any) -> None:
    with pytest.raises(ConfigParsingError, match="holds itself"):
        Config.fromfile(write(a_py="a = dict()\na['a'] = a\n"))
