"""What the tests share: trees of registries, and tables put back as they were."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tk_registry import DefaultScope, Registry, discovery, dotted_names, root


@pytest.fixture(autouse=True)
def tables_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Entries, allowed names, announcements and default scopes last one test."""
    registries = [value for value in vars(root).values() if isinstance(value, Registry)]
    entries = [(registry, dict(registry.module_dict)) for registry in registries]
    children = [(registry, dict(registry.children)) for registry in registries]
    monkeypatch.setattr(dotted_names, "_allowed", set(dotted_names._allowed))
    monkeypatch.setattr(discovery, "_waiting", [])
    token = DefaultScope._current.set(None)
    yield
    DefaultScope._current.reset(token)
    DefaultScope._instance_dict.clear()
    for registry, before in entries:
        registry.module_dict.clear()
        registry.module_dict.update(before)
    for registry, before_children in children:
        registry.children.clear()
        registry.children.update(before_children)


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder from which modules can be imported; they are forgotten afterwards."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in set(sys.modules) - before:
        origin = getattr(sys.modules[name], "__file__", None) or ""
        if origin.startswith(str(tmp_path)):
            del sys.modules[name]


class Net:
    """Something to build, with a part that it builds itself."""

    def __init__(self, depth: int, width: float = 1.0, head: Any = None) -> None:
        self.depth = depth
        self.width = width
        self.head = head


@pytest.fixture
def net() -> type[Net]:
    return Net


@pytest.fixture
def layers(net: type[Net]) -> Registry[Any]:
    """A registry of its own tree that holds ``Net``."""
    registry: Registry[Any] = Registry("layer", scope="base")
    registry.register_module(module=net)
    return registry


class Family:
    """Three generations: ``base`` > ``hound`` > ``little``, and ``base`` > ``cat``."""

    def __init__(self) -> None:
        self.base: Registry[Any] = Registry("animal", scope="base")
        self.hound: Registry[Any] = Registry("animal", parent=self.base, scope="hound")
        self.little: Registry[Any] = Registry("animal", parent=self.hound, scope="little")
        self.cat: Registry[Any] = Registry("animal", parent=self.base, scope="cat")


@pytest.fixture
def family() -> Family:
    return Family()
