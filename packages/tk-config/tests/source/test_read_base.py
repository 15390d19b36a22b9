from __future__ import annotations

from tk_config import read_base


def test_outside_of_a_config_it_is_an_ordinary_block() -> None:
    with read_base():
        entered = True

    assert entered
