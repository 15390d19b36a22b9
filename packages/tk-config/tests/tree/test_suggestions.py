from __future__ import annotations

import pytest

from tk_config import Config, MissingKeyError


def test_an_unknown_name_gives_the_nearest_one_or_lists_the_known_ones() -> None:
    cfg = Config({"optimizer": 1, "model": 2})

    with pytest.raises(MissingKeyError, match="did you mean 'optimizer'"):
        cfg["optimzer"]
    with pytest.raises(MissingKeyError, match="known: model, optimizer"):
        cfg["zzz"]


def test_no_huge_names_are_compared() -> None:
    cfg = Config({f"{'k' * 20000}{index}": 1 for index in range(200)})

    with pytest.raises(MissingKeyError, match="known: kkk"):  # comparing would take minutes
        cfg["k" * 20000]
