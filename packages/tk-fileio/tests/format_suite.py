"""What every file format does; a subclass provides ``handler`` and ``example``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import tk_fileio
from tk_fileio import BaseFileHandler, ParseError, SerializeError

VALUES: dict[str, Any] = {
    "nested": {"a": [1, {"b": None}], "c": {"d": [True, False]}},
    "numbers": [0, -1, 10**30, 1.5, 1e-3, 1e300, -0.0, float("inf")],
    "text": ["", " ", "ü世界\U0001f600", "a: b # c", "'\"\\", "two\nlines\n", "\u2028", "null"],
    "look-alikes": ["1e-3", "2E5", "1.0", "0x10", "yes", "~", "1_000", "12:30", "2024-01-01"],
    "empty": [{}, [], ""],
    "keys": {"": 1, "a b": 2, "1": 3, "ü": 4},
}


class ReadingFormatSuite:
    """The part that a format which is only read has as well."""

    def test_an_example_is_read_from_a_file(
        self, suffix: str, example: tuple[bytes, Any], tmp_path: Path
    ) -> None:
        path = tmp_path / f"a.{suffix}"
        path.write_bytes(example[0])

        assert tk_fileio.load(path) == example[1]
        assert tk_fileio.load(str(path)) == example[1]

    def test_an_upper_case_suffix_means_the_same(
        self, suffix: str, example: tuple[bytes, Any], tmp_path: Path
    ) -> None:
        path = tmp_path / f"a.{suffix.upper()}"
        path.write_bytes(example[0])

        assert tk_fileio.load(path) == example[1]

    def test_a_named_format_wins_over_the_suffix(
        self, suffix: str, example: tuple[bytes, Any], tmp_path: Path
    ) -> None:
        path = tmp_path / "a.json5"
        path.write_bytes(example[0])

        assert tk_fileio.load(path, file_format=suffix) == example[1]

    def test_an_open_file_is_read_and_left_open(
        self, suffix: str, example: tuple[bytes, Any]
    ) -> None:
        file = io.BytesIO(example[0])

        assert tk_fileio.load(file, file_format=suffix) == example[1]
        assert not file.closed

    @pytest.mark.parametrize("content", [b"\x00\xff\xfe{", b"[1, {", b"\x80"])
    def test_broken_content_names_the_file(
        self, suffix: str, content: bytes, tmp_path: Path
    ) -> None:
        path = tmp_path / f"broken.{suffix}"
        path.write_bytes(content)

        with pytest.raises(ParseError, match="broken") as caught:
            tk_fileio.load(path)
        assert caught.value.path == str(path)


class FormatSuite(ReadingFormatSuite):
    """All of it."""

    @pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
    def test_a_value_comes_back_equal(self, suffix: str, value: Any, tmp_path: Path) -> None:
        path = tmp_path / "new" / f"a.{suffix}"

        tk_fileio.dump(value, path)

        assert tk_fileio.load(path) == value

    def test_dumping_to_nothing_returns_it(self, handler: BaseFileHandler, suffix: str) -> None:
        dumped = tk_fileio.dump({"a": [1]}, file_format=suffix)

        assert isinstance(dumped, str if handler.str_like else bytes)
        file = io.StringIO(dumped) if isinstance(dumped, str) else io.BytesIO(dumped)
        assert tk_fileio.load(file, file_format=suffix) == {"a": [1]}

    def test_an_open_file_is_written_and_left_open(
        self, handler: BaseFileHandler, suffix: str
    ) -> None:
        file: Any = io.StringIO() if handler.str_like else io.BytesIO()

        assert tk_fileio.dump({"a": [1]}, file, file_format=suffix) is None
        file.seek(0)
        assert tk_fileio.load(file, file_format=suffix) == {"a": [1]}

    def test_an_error_says_where_in_the_object(self, suffix: str) -> None:
        value = {"model": [1, {"init": lambda: 0}]}

        with pytest.raises(SerializeError, match=r"obj\['model'\]\[1\]\['init'\].*function"):
            tk_fileio.dump(value, file_format=suffix)

    def test_a_value_that_fails_leaves_the_old_file(self, suffix: str, tmp_path: Path) -> None:
        path = tmp_path / f"a.{suffix}"
        tk_fileio.dump({"old": 1}, path)

        with pytest.raises(SerializeError, match=r"obj\[5000\]"):
            tk_fileio.dump([*range(5_000), lambda: 0], path)

        assert tk_fileio.load(path) == {"old": 1}
        assert [entry.name for entry in tmp_path.iterdir()] == [path.name]

    def test_the_handler_alone_writes_and_reads_a_path(
        self, handler: BaseFileHandler, tmp_path: Path
    ) -> None:
        handler.dump_to_path({"ü": 1}, tmp_path / "file")

        assert handler.load_from_path(tmp_path / "file") == {"ü": 1}
