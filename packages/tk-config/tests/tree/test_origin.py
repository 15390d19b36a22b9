from __future__ import annotations

from tk_config import Origin


def test_an_origin_is_shown_as_file_and_line() -> None:
    assert str(Origin("file", "/x/a.py", 3)) == "/x/a.py:3"
    assert str(Origin("command line", "a=1", None)) == "command line (a=1)"
