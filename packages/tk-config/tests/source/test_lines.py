from __future__ import annotations

from typing import Any

import pytest

from tk_config import Config, ConfigError


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        ("json", '{"a": 1,\n "b": {"c": 1,\n "c": 2}}'),
        ("yaml", "a: 1\nb:\n  c: " + "1" * 2000 + "\n"),
        ("toml", "a = 1\n\n" + ".".join("b" * 200) + " = 1\n"),
    ],
)
def test_a_refused_text_names_its_file_and_line(tmp_path: Any, suffix: str, text: str) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_text(text)

    with pytest.raises(ConfigError, match=rf"a\.{suffix}:3: "):
        Config.fromfile(path)
