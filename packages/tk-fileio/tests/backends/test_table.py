from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tk_fileio
from tk_fileio import (
    BaseStorageBackend,
    LocalBackend,
    UnknownBackendError,
    get_file_backend,
    register_backend,
)
from tk_fileio.backends import table


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = dict(table._classes), dict(table._schemes)
    yield
    table._classes.clear()
    table._classes.update(before[0])
    table._schemes.clear()
    table._schemes.update(before[1])
    table._live.clear()


class Vault(BaseStorageBackend):
    """What a third party writes: the two methods that mmengine asks for."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.arguments = (args, kwargs)

    def get(self, filepath: Any) -> bytes:
        return f"content of {filepath}".encode()

    def get_text(self, filepath: Any, encoding: str = "utf-8") -> str:
        return self.get(filepath).decode(encoding)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("a/b", "LocalBackend"),
        (Path("a"), "LocalBackend"),
        ("file:///a", "LocalBackend"),
        ("http://h/a", "HTTPBackend"),
        ("HTTPS://h/a", "HTTPBackend"),
        ("s3://b/k", "RemoteBackend"),
        ("cluster:gs://b/k", "RemoteBackend"),
        ("zip://a::b.zip", "RemoteBackend"),
    ],
    ids=str,
)
def test_the_address_chooses(address: str, name: str) -> None:
    assert get_file_backend(address).name == name


def test_a_named_backend_wins_and_gets_the_arguments() -> None:
    register_backend("vault", Vault)
    chosen = {"backend": "vault", "key": 1}

    backend = get_file_backend("http://h/a", backend_args=chosen)

    assert isinstance(backend, Vault)
    assert backend.arguments == ((), {"key": 1})
    assert chosen == {"backend": "vault", "key": 1}


def test_a_registered_backend_is_found_by_scheme() -> None:
    @register_backend("vault", prefixes=["vault", "Safe"])
    class Mine(Vault):
        pass

    assert tk_fileio.get("vault://x") == b"content of vault://x"
    assert tk_fileio.get_text("cluster:safe://x") == "content of cluster:safe://x"


def test_a_scheme_that_fsspec_would_open_can_be_claimed() -> None:
    register_backend("vault", Vault, prefixes="s3")

    assert tk_fileio.get("s3://b/k") == b"content of s3://b/k"


def test_a_name_or_scheme_in_use_is_not_taken_by_accident() -> None:
    with pytest.raises(ValueError, match=r"name 'local', scheme 'http' is in use.*force=True"):
        register_backend("local", Vault, prefixes=["http"])
    assert get_file_backend("a").name == "LocalBackend"


def test_force_takes_over_at_once_for_name_and_scheme() -> None:
    register_backend("vault", Vault, prefixes="vault")
    tk_fileio.get("vault://x")

    class Newer(Vault):
        def get(self, filepath: Any) -> bytes:
            return b"newer"

    register_backend("vault", Newer, force=True, prefixes="vault")
    assert tk_fileio.get("vault://x") == b"newer"
    register_backend("other", Vault, force=True, prefixes="vault")
    assert tk_fileio.get("vault://x") == b"content of vault://x"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((1, Vault), "name of a backend is a str"),
        (("x", Vault()), "subclass of BaseStorageBackend"),
        (("x", dict), "subclass of BaseStorageBackend"),
        (("x", Vault, False, [1]), "URI schemes"),
    ],
)
def test_wrong_arguments_are_named(arguments: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        register_backend(*arguments)


def test_a_backend_that_cannot_get_cannot_be_made() -> None:
    class Half(BaseStorageBackend):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Half()  # type: ignore[abstract]  # the point of the test


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownBackendError, match=r"'lmdbs'; known: http, .*did you mean 'lmdb'"):
        get_file_backend(backend_args={"backend": "lmdbs"})


@pytest.mark.parametrize("name", ["petrel", "memcached", "disk"])
def test_what_is_not_carried_over_is_said(name: str) -> None:
    with pytest.raises(KeyError, match=f"no backend is called '{name}'.*; (the|Mem|it)"):
        get_file_backend(backend_args={"backend": name})
    with pytest.raises(KeyError, match=f"no backend serves {name}://"):
        tk_fileio.get(f"{name}://a")


def test_neither_address_nor_name_is_an_error() -> None:
    with pytest.raises(ValueError, match="which backend"):
        get_file_backend(backend_args={"key": 1})


@pytest.mark.parametrize("value", [[1, 2], {"a": {1}}, object(), Path("x"), bytearray(b"x")])
def test_one_object_for_equal_arguments_json_or_not(value: object) -> None:
    register_backend("vault", Vault)

    def make(argument: object) -> BaseStorageBackend:
        chosen = {"backend": "vault", "key": argument}
        return get_file_backend(backend_args=chosen, enable_singleton=True)

    assert make(value) is make(value)
    assert make(value) is not make("other")


def test_arguments_that_only_compare_equal_are_kept_apart() -> None:
    register_backend("vault", Vault)
    made = {
        id(get_file_backend(backend_args={"backend": "vault", "key": key}, enable_singleton=True))
        for key in (1, True, 1.0)
    }

    assert len(made) == 3


def test_without_singleton_each_call_makes_one() -> None:
    assert get_file_backend("a") is not get_file_backend("a")
    assert isinstance(get_file_backend("a", enable_singleton=True), LocalBackend)
