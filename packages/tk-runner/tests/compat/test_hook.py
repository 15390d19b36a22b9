"""``import mmengine`` on the tk packages."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import tk_runner
from tk_config import Config
from tk_fileio import UntrustedSourceError, load
from tk_registry import MODELS
from tk_runner.compat.errors import AlreadyImportedError
from tk_runner.compat.hook import install, uninstall


def test_nothing_of_it_is_loaded_without_being_asked_for() -> None:
    code = (
        "import sys, tk_runner, tk_runner.registration\n"
        "sys.exit('tk_runner.compat' in sys.modules or 'mmengine' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.usefixtures("hooked")
def test_the_usual_ways_of_importing_give_our_objects() -> None:
    import mmengine
    import mmengine.runner.checkpoint
    from mmengine import Config as TopConfig
    from mmengine.model.base_module import BaseModule
    from mmengine.runner import Runner

    assert TopConfig is Config
    assert Runner is tk_runner.Runner
    assert BaseModule is tk_runner.BaseModule
    assert mmengine.runner.checkpoint.CheckpointLoader is tk_runner.CheckpointLoader
    assert mmengine.__version__ == "0.10.7"
    assert mmengine.version.version_info == (0, 10, 7)


@pytest.mark.usefixtures("hooked")
def test_a_star_gives_every_public_name() -> None:
    names: dict[str, object] = {}
    exec("from mmengine.structures import *", names)

    assert {"BaseDataElement", "InstanceData", "LabelData", "PixelData"} <= names.keys()


@pytest.mark.usefixtures("hooked")
def test_a_name_that_does_not_exist_has_the_nearest_one() -> None:
    import mmengine

    with pytest.raises(AttributeError, match=r"no attribute 'Confg'; did you mean 'Config'\?"):
        _ = mmengine.Confg
    with pytest.raises(ImportError, match="cannot import name 'Runer'"):
        from mmengine.runner import Runer  # noqa: F401


@pytest.mark.usefixtures("hooked")
def test_a_module_that_does_not_exist_is_said() -> None:
    with pytest.raises(
        ModuleNotFoundError, match=r"no module 'mmengine\.engine' in MMEngine 0\.10"
    ):
        importlib.import_module("mmengine.engine")


def test_the_real_package_imported_before_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mmengine", ModuleType("mmengine"))

    with pytest.raises(AlreadyImportedError, match="before anything that imports mmengine"):
        install()


def test_uninstalling_leaves_nothing_behind() -> None:
    before = [*sys.meta_path]
    install()
    install()  # a second time changes nothing
    importlib.import_module("mmengine.model")
    uninstall()

    assert sys.meta_path == before
    assert not [name for name in sys.modules if name.partition(".")[0] == "mmengine"]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A library as it is written for MMEngine; its registry registers in other modules."""
    folder = tmp_path / "toy_shapes"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "registry.py").write_text(
        "from mmengine.registry import MODELS as PARENT, Registry\n"
        "MODELS = Registry('model', parent=PARENT, scope='toy_shapes', "
        "locations=['toy_shapes.nets'])\n"
    )
    (folder / "nets.py").write_text(
        "from toy_shapes.registry import MODELS\n"
        "@MODELS.register_module()\n"
        "class ToyShapeNet:\n"
        "    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield "toy_shapes"
    MODELS.children.pop("toy_shapes", None)
    for name in [name for name in sys.modules if name.partition(".")[0] == "toy_shapes"]:
        del sys.modules[name]


@pytest.mark.usefixtures("hooked")
def test_a_scope_is_the_name_of_a_library(library: str) -> None:
    built = MODELS.build({"type": f"{library}.ToyShapeNet"})

    assert type(built).__module__ == "toy_shapes.nets"


def test_pickles_are_read_under_the_hook_alone(tmp_path: Path) -> None:
    path = tmp_path / "annotations.pkl"
    path.write_bytes(pickle.dumps([1, 2]))
    install()
    assert load(path) == [1, 2]
    uninstall()

    with pytest.raises(UntrustedSourceError):
        load(path)
