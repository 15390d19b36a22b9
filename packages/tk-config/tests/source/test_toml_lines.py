from __future__ import annotations

from typing import Any

import pytest

from tk_config import Config, ConfigSyntaxError


def line_of(cfg: Config, path: str) -> int | None:
    origin = cfg.origin(path)
    assert origin is not None
    return origin.line


def test_toml_keys_know_their_lines(write: Any) -> None:
    cfg = Config.fromfile(
        write(
            a_toml='''
            x = 1
            note = """
            y = 2
            """
            [a.b]
            c.d = 3
            "e f" = [
              4,
            ]
            [[list]]
            g = 5
            [[list]]
            g = 6
            '''
        )
    )

    paths = ("x", "note", "a.b.c.d", "a.b.e f", "list.0.g", "list.1.g")
    assert [line_of(cfg, p) for p in paths] == [1, 2, 6, 7, 11, 13]


def test_a_dotted_key_of_very_many_parts_is_refused() -> None:
    with pytest.raises(ConfigSyntaxError, match=r"<text>:2: a dotted key of more than 100 parts"):
        Config.fromstring("x = 1\n" + "a." * 100_000 + "b = 1\n", ".toml")


def test_dots_in_texts_and_numbers_are_no_parts() -> None:
    numbers = ", ".join(["1.5"] * 200)
    cfg = Config.fromstring(f"a = '{'.' * 500}'\nb = [{numbers}]\nc.d = 1\n", ".toml")

    assert (len(cfg.a), len(cfg.b), cfg.c.d) == (500, 200, 1)
