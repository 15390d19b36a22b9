from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from tk_fileio.uri import join_uri, local_path, parse_uri, shown


@pytest.mark.parametrize(
    ("address", "scheme", "text"),
    [
        ("a/b.txt", "", "a/b.txt"),
        (Path("/a/b.txt"), "", "/a/b.txt"),
        ("C:/a", "", "C:/a"),
        ("what: a://b", "", "what: a://b"),
        ("s3://b/k", "s3", "s3://b/k"),
        ("S3://b/k", "s3", "s3://b/k"),
        ("cluster:s3://b/k", "s3", "s3://b/k"),
        (PurePosixPath("s3://b/k"), "s3", "s3://b/k"),
        ("file:///a/b%20c", "", "/a/b c"),
        ("file://localhost/a", "", "/a"),
        ("file:///C:/a", "", "C:/a"),
        (PurePosixPath("file:///a"), "", "/a"),
        ("zip://x.txt::s3://b/a.zip", "zip", "zip://x.txt::s3://b/a.zip"),
        ("simplecache::s3://b/k", "simplecache", "simplecache::s3://b/k"),
    ],
    ids=str,
)
def test_an_address_is_taken_apart(address: str, scheme: str, text: str) -> None:
    assert parse_uri(address) == (scheme, text)


def test_a_file_of_another_machine_is_refused() -> None:
    with pytest.raises(ValueError, match=r"machine 'data'.*file:///data/a"):
        parse_uri("file://data/a")


@pytest.mark.parametrize("address", [1, None, b"a", ["a"]])
def test_only_paths_are_addresses(address: object) -> None:
    with pytest.raises(TypeError, match=r"a path is a str or an os\.PathLike"):
        parse_uri(address)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize(
    ("address", "suffix"),
    [
        ("a/b.JSON", "json"),
        ("a.b/c", ""),
        ("a.json.gz", "gz"),
        (".hidden", ""),
        ("s3://b/a.yaml", "yaml"),
        ("http://h/a.json?x=1.txt#b.c", "json"),
        ("s3://b/a?b.json", "json"),
        ("zip://a.json::s3://b/a.zip", "json"),
        ("simplecache::s3://b/a.json", "json"),
    ],
)
def test_the_suffix_is_that_of_the_file(address: str, suffix: str) -> None:
    assert parse_uri(address).suffix == suffix


@pytest.mark.parametrize(
    ("parts", "joined"),
    [
        (("s3://b", "a", "c.txt"), "s3://b/a/c.txt"),
        (("s3://b/", "/a/"), "s3://b/a"),
        (("memory://", "a"), "memory://a"),
        (("zip://::/tmp/a.zip", "in.txt"), "zip://in.txt::/tmp/a.zip"),
        (("zip://d::/tmp/a.zip", "in.txt"), "zip://d/in.txt::/tmp/a.zip"),
        (("simplecache::s3://b", "k"), "simplecache::s3://b/k"),
        (("train", "1.jpg"), "train/1.jpg"),
        (("s3://b/",), "s3://b/"),
    ],
)
def test_parts_go_below_the_path_of_a_uri(parts: tuple[str, ...], joined: str) -> None:
    assert join_uri(*parts) == joined


def test_a_password_is_not_shown() -> None:
    assert shown("https://me:secret@host/a:b@c") == "https://me:***@host/a:b@c"
    assert shown("https://host:80/a") == "https://host:80/a"


def test_a_remote_uri_is_no_local_path() -> None:
    with pytest.raises(ValueError, match=r"'s3://b/k' is not a local file.*open_write"):
        local_path("s3://b/k")
