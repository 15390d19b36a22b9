from __future__ import annotations

import pytest

from tk_config import Config, ConfigParsingError


def test_an_attack_in_json_is_refused() -> None:
    with pytest.raises(ConfigParsingError, match="<text>"):
        Config.fromstring('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", ".json")
