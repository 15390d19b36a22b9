from __future__ import annotations

from typing import Any

from tk_config import Config


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
