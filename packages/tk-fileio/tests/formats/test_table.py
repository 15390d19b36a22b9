from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

import tk_fileio
from tk_fileio import BaseFileHandler, UnknownFormatError, register_handler
from tk_fileio.formats import table


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = dict(table._handlers)
    yield
    table._handlers.clear()
    table._handlers.update(before)


class CsvHandler(BaseFileHandler):
    def __init__(self, separator: str = ",") -> None:
        self.separator = separator

    def load_from_fileobj(self, file: IO[Any], **kwargs: Any) -> Any:
        return [line.rstrip("\n").split(self.separator) for line in file]

    def dump_to_fileobj(self, obj: Any, file: IO[Any], **kwargs: Any) -> None:
        file.write(self.dump_to_str(obj))

    def dump_to_str(self, obj: Any, **kwargs: Any) -> str:
        return "".join(self.separator.join(row) + "\n" for row in obj)


def test_a_registered_format_is_found_by_each_suffix(tmp_path: Path) -> None:
    register_handler(["csv", ".SSV"], separator=";")(CsvHandler)

    for name in ("a.csv", "a.ssv", "a.CSV"):
        tk_fileio.dump([["a", "b"]], tmp_path / name)
        assert (tmp_path / name).read_text() == "a;b\n"
        assert tk_fileio.load(tmp_path / name) == [["a", "b"]]


def test_a_format_can_be_taken_over(tmp_path: Path) -> None:
    register_handler("json")(CsvHandler)

    assert tk_fileio.dump([["a"]], file_format="json") == "a\n"


def test_only_formats_are_registered() -> None:
    with pytest.raises(TypeError, match="BaseFileHandler"):
        register_handler("x")(dict)  # type: ignore[type-var]  # the point of the test
    with pytest.raises(TypeError, match="each a str"):
        register_handler(["x", 1])  # type: ignore[list-item]  # the point of the test


def test_a_format_lacking_a_method_cannot_be_made() -> None:
    class Half(BaseFileHandler):
        pass

    with pytest.raises(TypeError, match="abstract"):
        register_handler("half")(Half)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsn", "no format is called 'jsn'.*did you mean 'json'"),
        ("a.txt", "known: json, pickle.*register_handler"),
        ("a", "'.*a' has no suffix.*file_format="),
        ("a.json.gz", r"compressed.*gzip\.open"),
    ],
)
def test_an_unknown_suffix_says_what_to_do(name: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError, match=text):
        tk_fileio.load(tmp_path / name)
    with pytest.raises(TypeError, match=text):
        tk_fileio.dump(1, tmp_path / name)
