"""What installed packages announce is read on a miss only."""

from __future__ import annotations

import gc
import importlib.metadata
from pathlib import Path
from typing import Any

import pytest

from tk_registry import (
    RefusedNameError,
    RegistrationImportError,
    Registry,
    UnknownNameError,
    UnknownScopeError,
    discovery,
)


class Installed:
    """Stands in for the entry points of installed packages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reads = 0
        self.entries: list[importlib.metadata.EntryPoint] = []

    def announce(self, label: str, module: str, text: str) -> None:
        (self.folder / f"{module}.py").write_text(text)
        entry = importlib.metadata.EntryPoint(label, module, discovery.GROUP)
        self.entries.append(entry)

    def entry_points(self, *, group: str) -> list[importlib.metadata.EntryPoint]:
        assert group == "tk.registry"
        self.reads += 1
        return self.entries


@pytest.fixture
def installed(modules: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    gc.collect()  # a registry of an earlier test would still have its scope
    packages = Installed(modules)
    monkeypatch.setattr(importlib.metadata, "entry_points", packages.entry_points)
    monkeypatch.setattr(discovery, "_waiting", None)
    return packages


@pytest.fixture
def animals(monkeypatch: pytest.MonkeyPatch) -> Registry[Any]:
    registry: Registry[Any] = Registry("animal", scope="base")
    monkeypatch.setattr("tk_registry.root.HOOKS", registry)  # where the announced ones find it
    return registry


REGISTERS_FOX = (
    "from tk_registry import root\n"
    "@root.HOOKS.register_module\n"
    "class Fox: ...\n"
)  # fmt: skip
MAKES_SCOPE = (
    "from tk_registry import Registry, root\n"
    "FOXES = Registry('animal', parent=root.HOOKS, scope='woods')\n"
    "@FOXES.register_module\n"
    "class Vixen: ...\n"
)


def test_a_hit_reads_nothing(installed: Installed, animals: Registry[Any]) -> None:
    animals.register_module("Dog", module=dict)
    animals.get("Dog")

    assert installed.reads == 0


def test_a_plain_name_is_found_in_what_is_announced(
    installed: Installed, animals: Registry[Any]
) -> None:
    installed.announce("some-label", "fox_den", REGISTERS_FOX)

    assert type(animals.build({"type": "Fox"})).__name__ == "Fox"


def test_the_group_is_read_once(installed: Installed, animals: Registry[Any]) -> None:
    assert animals.get("Nobody") is None
    assert animals.get("Nobody") is None
    assert installed.reads == 1


def test_a_scope_is_found_in_what_is_announced(
    installed: Installed, animals: Registry[Any]
) -> None:
    installed.announce("woods", "woods_den", MAKES_SCOPE)

    assert animals.get("woods.Vixen").__name__ == "Vixen"  # type: ignore[union-attr]


def test_a_default_scope_is_found_in_what_is_announced(
    installed: Installed, animals: Registry[Any]
) -> None:
    installed.announce("woods", "woods_den", MAKES_SCOPE)

    assert type(animals.build({"type": "Vixen", "_scope_": "woods"})).__name__ == "Vixen"


def test_asking_for_one_scope_leaves_the_others_alone(
    installed: Installed, animals: Registry[Any]
) -> None:
    installed.announce("aaa", "never_den", "raise SystemExit('imported')\n")
    installed.announce("woods", "woods_den", MAKES_SCOPE)

    assert animals.get("woods.Vixen") is not None


def test_the_search_stops_when_the_name_is_found(
    installed: Installed, animals: Registry[Any]
) -> None:
    installed.announce("a", "fox_den", REGISTERS_FOX)
    installed.announce("b", "later_den", "raise SystemExit('imported')\n")

    assert animals.get("Fox") is not None


def test_a_broken_package_does_not_hide_a_name_of_another(
    installed: Installed, animals: Registry[Any]
) -> None:
    installed.announce("a", "broken_den", "raise ValueError('flooded')\n")
    installed.announce("b", "fox_den", REGISTERS_FOX)

    assert animals.get("Fox") is not None


def test_a_miss_tells_which_packages_failed_and_why(
    installed: Installed, animals: Registry[Any]
) -> None:
    installed.announce("a", "broken_den", "raise ValueError('flooded')\n")
    with pytest.raises(
        UnknownNameError, match=r"no animal is called 'Fox'.*'broken_den'.*ValueError: flooded"
    ) as caught:
        animals.build({"type": "Fox"})

    assert isinstance(caught.value.__cause__, RegistrationImportError)
    assert isinstance(caught.value.__cause__.__cause__, ValueError)


def test_a_scope_whose_package_fails_shows_the_cause(
    installed: Installed, animals: Registry[Any]
) -> None:
    installed.announce("burrow", "broken_den", "import no_such_module_at_all\n")
    with pytest.raises(RegistrationImportError, match="No module named 'no_such_module_at_all'"):
        animals.get("burrow.Vixen")
    with pytest.raises(KeyError, match="No module named 'no_such_module_at_all'"):
        animals.build({"type": "Vixen", "_scope_": "burrow"})


def test_of_an_announced_package_only_what_it_registers_may_be_named(
    installed: Installed, animals: Registry[Any]
) -> None:
    installed.announce("a", "fox_den", REGISTERS_FOX + "class Trap: ...\n")

    assert animals.get("fox_den.Fox").__name__ == "Fox"  # type: ignore[union-attr]
    with pytest.raises(RefusedNameError, match=r"'fox_den\.Trap' is refused.*is registered"):
        animals.get("fox_den.Trap")


def test_a_module_of_an_announced_package_is_not_imported_for_a_name(
    installed: Installed, animals: Registry[Any]
) -> None:
    package = installed.folder / "woods"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "den.py").write_text(REGISTERS_FOX)
    (package / "script.py").write_text("raise SystemExit('run')\n")
    installed.entries.append(importlib.metadata.EntryPoint("a", "woods.den", discovery.GROUP))

    assert animals.get("woods.den.Fox") is not None
    with pytest.raises(RefusedNameError):
        animals.get("woods.script.Trap")


@pytest.mark.parametrize("key", ["woods.Vixen", "woods.den.Vixen"])
def test_a_package_whose_entry_scope_and_name_agree_is_found_at_the_first_question(
    key: str, installed: Installed, animals: Registry[Any]
) -> None:
    (installed.folder / "woods").mkdir()
    (installed.folder / "woods" / "__init__.py").touch()
    (installed.folder / "woods" / "den.py").write_text(MAKES_SCOPE)
    installed.entries.append(importlib.metadata.EntryPoint("woods", "woods.den", discovery.GROUP))

    assert animals.resolve(key).__name__ == "Vixen"


def test_a_failure_of_another_package_is_only_mentioned(
    installed: Installed, animals: Registry[Any]
) -> None:
    installed.announce("burrow", "burrow", "raise ValueError('flooded')\n")

    with pytest.raises(UnknownScopeError, match=r"scope 'meadow'.*besides, .*ValueError: flooded"):
        animals.resolve("meadow.Vixen")


def test_where_such_a_package_fails_to_register_the_cause_is_named(
    installed: Installed, animals: Registry[Any]
) -> None:
    installed.announce("burrow", "burrow", "raise ValueError('flooded')\n")

    with pytest.raises(RegistrationImportError, match=r"'burrow'.*ValueError: flooded"):
        animals.resolve("burrow.Vixen")
