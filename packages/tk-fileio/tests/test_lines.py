from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tk_fileio
from tk_fileio import ParseError, dict_from_file, list_from_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "list.txt").write_bytes("a b\r\n c \n\nü\n".encode())
    return tmp_path / "list.txt"


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, ["a b", " c ", "", "ü"]),
        ({"offset": 1}, [" c ", "", "ü"]),
        ({"max_num": 2}, ["a b", " c "]),
        ({"offset": 1, "max_num": 1}, [" c "]),
        ({"offset": 9}, []),
        ({"max_num": 99, "offset": 3, "prefix": "x/"}, ["x/ü"]),
    ],
    ids=str,
)
def test_lines_come_without_their_ends(
    path: Path, choice: dict[str, Any], expected: list[str]
) -> None:
    assert list_from_file(path, **choice) == expected
    assert list_from_file(str(path), **choice) == expected


def test_lines_are_decoded_as_asked(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xfc\n")

    assert list_from_file(tmp_path / "a", encoding="latin-1") == ["ü"]


def test_the_rest_of_a_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"good\n" + b"\n" * 100_000 + b"\xff")

    assert list_from_file(tmp_path / "a", max_num=1) == ["good"]


def test_columns_become_a_mapping(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1 cat\n2 dog  cow\n\n   \n3 ü")

    assert dict_from_file(tmp_path / "a") == {"1": "cat", "2": ["dog", "cow"], "3": "ü"}
    assert dict_from_file(tmp_path / "a", key_type=int) == {1: "cat", 2: ["dog", "cow"], 3: "ü"}


def test_a_line_without_a_value_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 cat\n\n2\n")

    with pytest.raises(ParseError, match=r"a\.txt:3: '2' has one column"):
        dict_from_file(tmp_path / "a.txt")


@pytest.mark.parametrize("read", [list_from_file, dict_from_file, tk_fileio.get_text])
def test_a_file_of_another_encoding_is_named(read: Callable[..., object], tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("a caf\u00e9\n".encode("latin-1"))

    with pytest.raises(ParseError, match=r"latin\.txt: not UTF-8 text: .* at byte 5"):
        read(tmp_path / "latin.txt")


def test_a_key_of_another_type_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 one\ntwo two\n")

    with pytest.raises(ParseError, match=r"a\.txt:2: the key 'two' cannot be turned into int"):
        dict_from_file(tmp_path / "a.txt", key_type=int)
