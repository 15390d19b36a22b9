from __future__ import annotations

from typing import Any

import pytest

from tk_config import Config, ConfigParsingError, DuplicateKeyError


def test_an_attack_in_json_is_refused() -> None:
    with pytest.raises(ConfigParsingError, match="<text>"):
        Config.fromstring('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", ".json")


def test_a_repeated_key_names_both_lines(write: Any) -> None:
    path = write(a_json='{"a": {"b": 1,\n"c": 2,\n"b": 3}}\n')

    with pytest.raises(DuplicateKeyError, match=r"a\.json:3: the key 'b' .*first in line 1"):
        Config.fromfile(path)


def test_equal_keys_of_different_objects_are_no_repetition(write: Any) -> None:
    assert Config.fromfile(write(a_json='{"a": [{"b": 1}, {"b": 2}], "b": 3}')).b == 3
