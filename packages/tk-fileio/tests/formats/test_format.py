from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

import pytest

from tk_fileio import BaseFileHandler


class Upper(BaseFileHandler):
    """Text in upper case."""

    def load_from_fileobj(self, file: IO[Any], **kwargs: Any) -> Any:
        return file.read().lower()

    def dump_to_fileobj(self, obj: Any, file: IO[Any], **kwargs: Any) -> None:
        file.write(obj.upper())

    def dump_to_str(self, obj: Any, **kwargs: Any) -> str:
        return str(obj).upper()


def test_a_path_is_opened_in_the_mode_of_the_format(tmp_path: Path) -> None:
    Upper().dump_to_path("gr\u00fc\u00df", tmp_path / "a.txt")

    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "GR\u00dcSS"
    assert Upper().load_from_path(tmp_path / "a.txt") == "gr\u00fcss"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")

    with pytest.raises(OSError, match="pass the open file"):
        Upper().load_from_path(tmp_path / "a.txt")


def test_text_is_the_default_and_runs_no_code() -> None:
    assert Upper.str_like
    assert not Upper.runs_code
