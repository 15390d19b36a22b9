"""``import mmengine`` on the tk packages."""

from __future__ import annotations

import importlib
import subprocess
import sys
from types import ModuleType

import pytest

import tk_runner
from tk_config import Config
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
