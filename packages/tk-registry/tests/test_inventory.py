"""What is registered where."""

from __future__ import annotations

import functools
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from tk_registry import HOOKS, count_registered_modules, discovery, traverse_registry_tree


def dog(module: str) -> type:
    return type("Dog", (), {"__module__": module})


def test_a_walk_starts_at_the_root_and_goes_depth_first(family: Any) -> None:
    family.base.register_module("B", module=dog("zoo.animals.dogs"))
    family.base.register_module("A", module=dog("zoo.animals.pets"))
    family.base.register_module("P", module=functools.partial(dog("zoo.food.bone")))
    family.little.register_module("L", module=dog("toys.small"))
    found = traverse_registry_tree(family.hound, verbose=False)

    assert [entry["scope"] for entry in found] == ["base", "cat", "hound", "little"]
    assert found[0] == {
        "num_modules": 3,
        "scope": "base",
        "zoo/animals": ["A", "B"],
        "zoo/food": ["P"],
    }
    assert found[3] == {"num_modules": 1, "scope": "little", "toys": ["L"]}


def test_a_verbose_walk_is_logged(family: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "tk.registry"):
        traverse_registry_tree(family.base)

    assert "'scope': 'little'" in caplog.text


def test_all_shared_registries_are_counted_and_written(tmp_path: Path) -> None:
    HOOKS.register_module("Leash", module=dog("zoo.leash.short"))
    counted = count_registered_modules(str(tmp_path), verbose=False)

    assert len(counted["registries"]) == 23
    assert "Leash" in counted["registries"]["HOOKS"][0]["zoo/leash"]
    text = (tmp_path / "modules_statistic_results.json").read_text()
    assert json.loads(text) == counted
    assert '\n  "scan_date"' in text


def test_what_is_announced_is_imported_before_counting_and_failures_are_logged(
    modules: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from importlib.metadata import EntryPoint

    (modules / "leashes.py").write_text(
        "from tk_registry import HOOKS\n@HOOKS.register_module\nclass LongLeash: ...\n"
    )
    entries = [EntryPoint("a", "no_leashes_at_all", "g"), EntryPoint("b", "leashes", "g")]
    monkeypatch.setattr(discovery, "_waiting", entries)
    counted = count_registered_modules(verbose=False)

    assert "LongLeash" in counted["registries"]["HOOKS"][0][""]
    assert "no_leashes_at_all" in caplog.text
