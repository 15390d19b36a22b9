"""Which objects a dotted name in a config may reach."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from tk_registry import (
    InvalidUseError,
    RefusedNameError,
    RegistrationImportError,
    Registry,
    UnknownNameError,
    UnknownScopeError,
    allow_names,
)


@pytest.fixture
def things() -> Registry[Any]:
    return Registry("thing", scope="base")


@pytest.fixture
def shop(modules: Path) -> str:
    """An allowed package with classes of its own and dangerous aliases."""
    (modules / "shop").mkdir()
    (modules / "shop" / "__init__.py").write_text("import os\nfrom subprocess import getoutput\n")
    (modules / "shop" / "tools.py").write_text(
        "import builtins, collections, functools, os, subprocess\n"
        "from collections import OrderedDict\n"
        "from subprocess import Popen\n"
        "run = subprocess.getoutput\n"
        "evaluate = eval\n"
        "half = functools.partial(subprocess.getoutput, 'id')\n"
        "settings = {'a': 1}\n"
        "nothing = None\n"
        "def own_function(): return 'made by a function'\n"
        "class Hammer:\n"
        "    class Handle: ...\n"
        "    def hit(self): ...\n"
        "class Sly:\n"
        "    popen = subprocess.Popen\n"
        "    modules = os\n"
    )
    allow_names("shop")
    return "shop"


@pytest.mark.parametrize(
    "name",
    [
        "subprocess.getoutput",
        "torch.os.system",
        "builtins.eval",
        "torch.load",
        "torch.hub.load",
        "torch.utils.cpp_extension.load_inline",
        "torch.utils.cpp_extension.BuildExtension",
        "torch.utils.data.dataloader.os.system",
        "torch.distributed.run.main",
        "torch.serialization.load",
        "torch.nnn.ReLU",
        "os.path.join",
        "json.loads",
    ],
)
def test_what_is_outside_is_refused(name: str, things: Registry[Any]) -> None:
    with pytest.raises(RefusedNameError, match=r"classes below torch\.nn, torch.*allow_names"):
        things.get(name)
    with pytest.raises(KeyError):
        things.build({"type": name})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("shop.getoutput", "it is not a class but the function subprocess.getoutput"),
        ("shop.os.system", "'shop.os' is really the module 'os'"),
        ("shop.tools.run", "it is not a class but the function subprocess.getoutput"),
        ("shop.tools.evaluate", "it is not a class but the function builtins.eval"),
        ("shop.tools.Popen", "it is an alias of subprocess.Popen"),
        ("shop.tools.OrderedDict", "it is an alias of collections.OrderedDict"),
        ("shop.tools.half", "it is not a class but the function subprocess.getoutput"),
        ("shop.tools.settings", "it is not a class but a dict"),
        ("shop.tools.settings.pop", "'shop.tools.settings' is neither a module nor a class"),
        ("shop.tools.subprocess.Popen", "'shop.tools.subprocess' is really"),
        ("shop.tools.builtins.eval", "'shop.tools.builtins' is really the module 'builtins'"),
        ("shop.tools.own_function", "it is not a class but the function shop.tools.own_function"),
        ("shop.tools", "it is not a class but the module shop.tools"),
        ("shop.tools.Hammer.hit", "it is not a class but the function shop.tools.Hammer.hit"),
        ("shop.tools.Hammer.hit.__globals__", "is an internal of Python|neither a module"),
        ("shop.tools.Hammer.__base__", "'__base__' is an internal of Python"),
        ("shop.tools.__builtins__", "'__builtins__' is an internal of Python"),
        ("shop.tools.Sly.popen", "it is an alias of subprocess.Popen"),
        ("shop.tools.Sly.modules.system", "'shop.tools.Sly.modules' is really the module"),
    ],
)
def test_an_alias_inside_an_allowed_module_is_judged_by_what_it_is(
    name: str, said: str, shop: str, things: Registry[Any]
) -> None:
    with pytest.raises(RefusedNameError, match=said):
        things.get(name)


def test_a_class_of_an_allowed_package_is_reached(shop: str, things: Registry[Any]) -> None:
    hammer = things.get("shop.tools.Hammer")

    assert hammer is sys.modules["shop.tools"].Hammer
    assert things.get("shop.tools.Hammer.Handle") is hammer.Handle
    assert type(things.build({"type": "shop.tools.Hammer"})) is hammer


def test_a_function_is_reached_where_exactly_it_was_allowed(
    shop: str, things: Registry[Any]
) -> None:
    allow_names("shop.tools.own_function", "shop.tools.run")

    assert things.build({"type": "shop.tools.own_function"}) == "made by a function"
    with pytest.raises(RefusedNameError, match=r"it is an alias of subprocess\.getoutput"):
        things.get("shop.tools.run")


def test_a_missing_class_is_an_unknown_name_with_the_near_one(
    shop: str, things: Registry[Any]
) -> None:
    assert things.get("shop.tools.Hamer") is None
    assert things.get("shop.tool.Hammer") is None
    with pytest.raises(UnknownNameError, match=r"did you mean 'shop\.tools\.Hammer'"):
        things.resolve("shop.tools.Hamer")


def test_a_broken_module_behind_a_name_shows_its_cause(
    modules: Path, things: Registry[Any]
) -> None:
    (modules / "wreck.py").write_text("import no_such_package_at_all\n")
    allow_names("wreck")
    with pytest.raises(RegistrationImportError, match="No module named 'no_such") as caught:
        things.get("wreck.Ship")

    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_an_allowed_package_that_is_not_installed_is_told(things: Registry[Any]) -> None:
    allow_names("not_installed_here")
    with pytest.raises(RegistrationImportError, match="'not_installed_here', which is not inst"):
        things.get("not_installed_here.Thing")


def test_the_package_of_a_scope_is_not_imported_for_a_name(
    modules: Path, things: Registry[Any]
) -> None:
    (modules / "stray.py").write_text("raise SystemExit('a stray file was run')\n")
    Registry("thing", parent=things, scope="stray")

    assert things.get("stray.Model") is None


def test_of_a_package_with_a_scope_only_what_is_registered_is_reached(
    modules: Path, things: Registry[Any]
) -> None:
    (modules / "proper").mkdir()
    (modules / "proper" / "__init__.py").write_text("from .nets import Model, Tool\n")
    (modules / "proper" / "nets.py").write_text("class Model: ...\nclass Tool: ...\n")
    child: Registry[Any] = Registry("thing", parent=things, scope="proper")
    import proper

    child.register_module("any-name", module=proper.Model)

    assert things.get("proper.nets.Model") is proper.Model
    assert things.get("proper.Model") is proper.Model  # where the package offers it as well
    assert child.get("proper.nets.Model") is proper.Model
    assert things.get("proper.nets.Tool") is None
    assert Registry("another thing", scope="base").get("proper.nets.Model") is None


@pytest.mark.parametrize("scope", ["torch", "subprocess"])
def test_a_scope_that_is_called_like_a_package_of_others_opens_nothing(
    scope: str, things: Registry[Any]
) -> None:
    import subprocess  # so that it is imported

    child: Registry[Any] = Registry("thing", parent=things, scope=scope)

    assert subprocess.Popen is not None
    assert things.get(f"{scope}.Popen") is None
    assert child.get(f"{scope}.cuda.Event") is None


def test_a_name_of_no_scope_and_no_package_runs_nothing(
    modules: Path, things: Registry[Any]
) -> None:
    (modules / "lurking.py").write_text("raise SystemExit('run')\n")
    with pytest.raises(RefusedNameError):
        things.get("lurking.X")
    with pytest.raises(UnknownScopeError):
        things.get("nowhere_at_all.X")


@pytest.mark.parametrize("name", ["a b", "a..b", "", 3])
def test_only_dotted_names_can_be_allowed(name: Any) -> None:
    with pytest.raises(InvalidUseError, match="a dotted name such as"):
        allow_names(name)


class TestTorch:
    @pytest.fixture(autouse=True)
    def torch(self) -> Any:
        return pytest.importorskip("torch")

    def test_its_modules_and_optimizers_are_reached(self, torch: Any) -> None:
        things: Registry[Any] = Registry("thing", scope="base")

        assert things.get("torch.nn.ReLU") is torch.nn.ReLU
        assert things.get("torch.optim.SGD") is torch.optim.SGD
        assert things.get("torch.optim.lr_scheduler.StepLR") is torch.optim.lr_scheduler.StepLR
        assert type(things.build({"type": "torch.nn.Linear", "in_features": 1, "out_features": 2}))

    def test_every_public_class_of_torch_nn_is_reached(
        self, torch: Any, things: Registry[Any]
    ) -> None:
        for name, value in vars(torch.nn).items():
            if isinstance(value, type) and not name.startswith("_"):
                assert things.get(f"torch.nn.{name}") is value

    def test_named_classes_beside_dangerous_neighbours(
        self, torch: Any, things: Registry[Any]
    ) -> None:
        from tk_registry.dotted_names import _ALWAYS_CLASSES

        for name in _ALWAYS_CLASSES:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # torch warns about itself when imported
                reached = things.get(name)

            assert isinstance(reached, type)
            assert reached.__name__ == name.rpartition(".")[2]

    @pytest.mark.parametrize(
        "name",
        [
            "torch.nn.init.math.sqrt",
            "torch.nn.init.kaiming_normal_",
            "torch.nn.modules.module.Tensor",
            "torch.nn.modules.module.OrderedDict",
            "torch.nn.modules.module.functools.partial",
            "torch.nn.parallel.data_parallel",
            "torch.nn.Module.load_state_dict",
            "torch.nn.Module.__subclasses__",
            "torch.optim.lr_scheduler.warnings.warn",
            "torch.optim.optimizer.defaultdict",
        ],
    )
    def test_what_its_modules_import_or_define_besides_is_refused(
        self, name: str, things: Registry[Any]
    ) -> None:
        with pytest.raises(RefusedNameError, match=r"is refused: "):
            things.get(name)

    def test_a_misspelt_class_has_a_near_name(self, things: Registry[Any]) -> None:
        with pytest.raises(UnknownNameError, match=r"did you mean 'torch\.nn\.ReLU'"):
            things.build({"type": "torch.nn.Relu"})
