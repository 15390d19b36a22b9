from __future__ import annotations

import pytest

import tk_fileio
from tk_fileio import FileIOError, ParseError


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("MissingExtraError", ImportError),
        ("ParseError", ValueError),
        ("RemoteError", OSError),
        ("SerializeError", TypeError),
        ("UnknownBackendError", KeyError),
        ("UnknownFormatError", TypeError),
        ("UnsafePathError", ValueError),
        ("UnsupportedOperationError", NotImplementedError),
        ("UntrustedSourceError", ValueError),
    ],
)
def test_each_error_is_also_a_builtin_one(name: str, builtin: type[Exception]) -> None:
    assert issubclass(getattr(tk_fileio, name), (FileIOError, builtin))
    assert issubclass(getattr(tk_fileio, name), builtin)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ParseError("bad"), "bad"),
        (ParseError("bad", path="a.json"), "a.json: bad"),
        (ParseError("bad", line=3), "line 3: bad"),
        (ParseError("bad", path="a.json", line=3, column=1), "a.json:3:1: bad"),
    ],
)
def test_a_parse_error_shows_its_place(error: ParseError, text: str) -> None:
    assert str(error) == text
