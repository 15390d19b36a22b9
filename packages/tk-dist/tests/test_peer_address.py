"""Addresses under which other ranks reach this one."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tk_dist.peer_address import own_addresses


def addresses(store: object) -> list[str]:
    return own_addresses(cast("Any", store))


def test_the_address_that_speaks_to_the_store_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"head": "10.1.1.7", socket.gethostname(): "10.9.9.9"}

    def resolve(host: str, *_: object, **__: object) -> list[Any]:
        if host not in asked:
            raise OSError("unknown")
        return [(socket.AF_INET, 0, 0, "", (asked[host], 9))]

    class Probe:
        def __init__(self, *_: object) -> None: ...
        def __enter__(self) -> Probe:
            return self

        def __exit__(self, *_: object) -> None: ...
        def connect(self, address: tuple[str, int]) -> None:
            self.source = address[0].replace("10.1.1.7", "10.1.1.2")

        def getsockname(self) -> tuple[str, int]:
            return self.source, 0

    monkeypatch.setattr("tk_dist.peer_address.socket.getaddrinfo", resolve)
    monkeypatch.setattr("tk_dist.peer_address.socket.socket", Probe)
    store = SimpleNamespace(underlying_store=SimpleNamespace(host="head", port=1))

    assert addresses(store) == ["10.1.1.2", "10.9.9.9", "127.0.0.1"]


def test_there_is_the_loopback_where_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*_: object, **__: object) -> list[Any]:
        raise OSError("no network")

    monkeypatch.setattr("tk_dist.peer_address.socket.getaddrinfo", resolve)

    assert addresses(SimpleNamespace()) == ["127.0.0.1"]
