from __future__ import annotations

from typing import Any

import pytest

from tk_config import (
    Config,
)


@pytest.mark.parametrize("key", ["filename", "text", "pretty_text", "env_variables"])
def test_a_reserved_key_in_a_file_is_refused(folder: Any, key: str) -> None:
    with pytest.raises(KeyError, match="reserved"):
        Config.fromfile(folder.write("a", key, "1"))
