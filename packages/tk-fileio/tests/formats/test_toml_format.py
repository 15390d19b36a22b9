from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from format_suite import ReadingFormatSuite

import tk_fileio
from tk_fileio import ParseError, UnsupportedOperationError


class TestToml(ReadingFormatSuite):
    @pytest.fixture
    def suffix(self) -> str:
        return "toml"

    @pytest.fixture
    def example(self) -> tuple[bytes, Any]:
        return 'x = 1e-3\n[a]\nb = ["ü", 2]\n'.encode(), {"x": 1e-3, "a": {"b": ["ü", 2]}}


def test_writing_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedOperationError, match=r"no writer.*\.yaml or \.json"):
        tk_fileio.dump({}, tmp_path / "a.toml")
    with pytest.raises(UnsupportedOperationError, match="no writer"):
        tk_fileio.dump({}, file_format="toml")
    assert not (tmp_path / "a.toml").exists()


@pytest.mark.parametrize("text", ["a = 1\nb = tru", "a = 1\na = 2\nb = 1", "a = 1\n[a]\n[b"])
def test_a_mistake_is_shown_with_its_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(text)

    with pytest.raises(ParseError, match=r"a\.toml:\d+:\d+: not TOML"):
        tk_fileio.load(tmp_path / "a.toml")
