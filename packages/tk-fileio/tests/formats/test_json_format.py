from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from format_suite import FormatSuite

import tk_fileio
from tk_fileio import BaseFileHandler, ParseError, SerializeError
from tk_fileio.formats.json_format import JsonHandler


class TestJson(FormatSuite):
    @pytest.fixture
    def handler(self) -> BaseFileHandler:
        return JsonHandler()

    @pytest.fixture
    def suffix(self) -> str:
        return "json"

    @pytest.fixture
    def example(self) -> tuple[bytes, Any]:
        return '{"a": [1, 2.5, "ü"]}'.encode(), {"a": [1, 2.5, "ü"]}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({3, 1, 2}, "[1, 2, 3]"),
        (range(3), "[0, 1, 2]"),
        ((1, 2), "[1, 2]"),
        (Path("a/b"), '"a/b"'),
    ],
    ids=str,
)
def test_look_alikes_are_written_as_builtins(value: object, text: str) -> None:
    assert tk_fileio.dump(value, file_format="json") == text


def test_a_mistake_is_shown_with_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{\n  "a": 1,\n  "b": tru\n}')

    with pytest.raises(ParseError, match=r"a\.json:3:8: not JSON") as caught:
        tk_fileio.load(tmp_path / "a.json")
    assert (caught.value.line, caught.value.column) == (3, 8)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf{"a": 1}')

    assert tk_fileio.load(tmp_path / "a.json") == {"a": 1}


def test_endless_nesting_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" * 200_000)

    with pytest.raises(ParseError, match="nested too deeply"):
        tk_fileio.load(tmp_path / "a.json")


def test_a_key_that_json_does_not_know_is_located() -> None:
    with pytest.raises(SerializeError, match=r"obj\['a'\] cannot.*keys must be str"):
        tk_fileio.dump({"a": {(1, 2): 3}}, file_format="json")


def test_a_value_that_holds_itself_is_an_error() -> None:
    value: list[object] = [1]
    value.append(value)

    with pytest.raises(SerializeError, match="Circular"):
        tk_fileio.dump(value, file_format="json")


def test_arguments_reach_the_library(tmp_path: Path) -> None:
    tk_fileio.dump({"b": 1, "a": 2}, tmp_path / "a.json", indent=1, sort_keys=True)

    assert (tmp_path / "a.json").read_text() == '{\n "a": 2,\n "b": 1\n}'
    assert tk_fileio.load(tmp_path / "a.json", parse_int=str) == {"a": "2", "b": "1"}


@pytest.mark.skipif(not hasattr(sys, "get_int_max_str_digits"), reason="no such limit here")
@pytest.mark.parametrize("suffix", ["json", "toml", "yaml"])
def test_a_number_of_too_many_digits_is_a_parse_error_with_the_file(
    suffix: str, tmp_path: Path
) -> None:
    start = {"json": '{"a": ', "toml": "a = ", "yaml": "a: "}[suffix]
    path = tmp_path / f"a.{suffix}"
    path.write_text(start + "9" * 5000 + ("}" if suffix == "json" else "\n"))

    with pytest.raises(ParseError, match=rf"a\.{suffix}: not .*4300"):
        tk_fileio.load(path)
