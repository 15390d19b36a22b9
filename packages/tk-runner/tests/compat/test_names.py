"""The map of names, against the public names of MMEngine 0.10.7."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tk_runner.compat.names import NameMap, Target

NAMES = json.loads((Path(__file__).parent / "mmengine_names.json").read_text())
MAP = NameMap.read()


@pytest.mark.parametrize("module", NAMES)
def test_every_public_name_is_in_the_map(module: str) -> None:
    assert set(NAMES[module]) - MAP.public(module) - {"__version__", "version_info"} == set()


@pytest.mark.parametrize("module", MAP.modules)
def test_every_target_exists_or_says_what_to_do(module: str) -> None:
    for name in MAP.public(module) - set(MAP.constants(module)):
        target = MAP.target(module, name)

        assert target is not None
        assert target.instead or target.load() is not None


def test_most_names_are_served() -> None:
    targets = [MAP.target(module, name) for module, names in NAMES.items() for name in names]
    absent = [target for target in targets if target is not None and target.instead]

    assert len(absent) < 0.08 * len(targets)


def test_a_target_is_a_module_another_name_or_a_word_on_what_to_do() -> None:
    assert Target.parse("a", "m.n") == Target("m.n", "a")
    assert Target.parse("a", "m.n:b") == Target("m.n", "b")
    assert Target.parse("a", "!use b") == Target(instead="use b")


def test_the_list_of_names_is_that_of_the_real_package(tmp_path: Path) -> None:
    script = (
        "import importlib, json, sys\n"
        "names = json.load(open(sys.argv[1]))\n"
        "for module, known in names.items():\n"
        "    real = importlib.import_module(module)\n"
        "    public = getattr(real, '__all__', [n for n in dir(real) if n[0] != '_'\n"
        "        and type(getattr(real, n)).__name__ != 'module'])\n"
        "    assert set(public) == set(known), (module, set(public) ^ set(known))\n"
    )
    path = tmp_path / "names.json"
    path.write_text(json.dumps(NAMES))
    ended = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, cwd=tmp_path
    )
    if "No module named 'mmengine'" in ended.stderr:
        pytest.skip("mmengine is not installed here; nox -s compat installs it")

    assert ended.returncode == 0, ended.stderr
