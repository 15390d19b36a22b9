"""The pure-Python dialect: bases and names by import statements."""

from __future__ import annotations

import copy
import math
import multiprocessing
import pickle
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigParsingError,
    ConfigWarning,
    LazyAttr,
    LazyObject,
    MissingBaseError,
)

BASE = "from tk_config import read_base\nwith read_base():\n    "


def heir(write: Any, base: str, child: str, imports: str = "from .base import *") -> Config:
    write(base_py=base)
    return Config.fromfile(write(child_py=f"{BASE}{imports}\n{child}"))


def test_a_base_is_imported_and_changed_by_ordinary_python(write: Any) -> None:
    cfg = heir(
        write,
        "optimizer = dict(type='SGD', lr=0.1, opts=dict(a=1))\nsteps = [1, 2]\n",
        "optimizer.lr = 0.2\noptimizer.update(dict(opts=dict(b=2)))\nsteps.append(3)\n",
    )

    assert cfg.optimizer == {"type": "SGD", "lr": 0.2, "opts": {"a": 1, "b": 2}}
    assert cfg.steps == [1, 2, 3]


def test_names_may_be_imported_one_by_one_and_renamed(write: Any) -> None:
    cfg = heir(write, "a = 1\nb = 2\nc = 3\n", "", "from .base import a, b as bee")

    assert cfg == {"a": 1, "bee": 2}


def test_merge_honours_the_delete_marker(write: Any) -> None:
    cfg = heir(write, "m = dict(a=1, b=dict(c=2))\n", "m.merge(dict(b=dict(_delete_=True, d=3)))\n")

    assert cfg.m == {"a": 1, "b": {"d": 3}}


def test_assigning_replaces_and_changing_a_copy_leaves_the_base(write: Any) -> None:
    write(base_py="m = dict(a=1)\n")
    first = write(first_py=f"{BASE}from .base import *\nm.a = 2\n")
    second = write(second_py=f"{BASE}from .base import *\nm = dict(b=1)\n")

    assert Config.fromfile(first).m == {"a": 2}
    assert Config.fromfile(second).m == {"b": 1}
    assert Config.fromfile(first.parent / "base.py").m == {"a": 1}


def test_bases_are_found_beside_below_and_above(write: Any) -> None:
    write(conf__up_py="a = 1\n")
    write(conf__deep__down_py="b = 2\n")
    path = write(
        conf__here__child_py=BASE
        + "from ..up import *\n    from ..deep.down import *\n    from .near import *\n",
        conf__here__near_py="c = 3\n",
    )

    assert Config.fromfile(path.parent / "child.py") == {"a": 1, "b": 2, "c": 3}


def test_an_absolute_import_reads_a_config_of_an_installed_package(
    write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tkc_pkg____init___py="raise RuntimeError('imported')\n")
    package = path.parent.parent / "tkc_pkg"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (package / "configs").mkdir()
    (package / "configs" / "a.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(package.parent))

    cfg = Config.fromfile(write(child_py=f"{BASE}from tkc_pkg.configs.a import *\n"))

    assert cfg == {"x": 1}


def test_foreign_imports_become_placeholders_built_on_reading(
    write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tkc_toy.py").write_text("class Toy: pass\nclass Box:\n    inner = 5\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = write(a_py="import tkc_toy\nfrom tkc_toy import Toy as T, Box\n"
                 "m = dict(type=T, n=Box.inner, mod=tkc_toy, cls=tkc_toy.Box)\n")  # fmt: skip

    cfg = Config.fromfile(path)
    assert "tkc_toy" not in sys.modules
    assert cfg.to_dict() == {
        "m": {
            "type": "tkc_toy.Toy",
            "n": "tkc_toy.Box.inner",
            "mod": "tkc_toy",
            "cls": "tkc_toy.Box",
        }
    }

    toy = cfg.m.type
    assert toy is sys.modules["tkc_toy"].Toy
    assert cfg.m.type is toy
    assert cfg.m.n == 5
    assert cfg.m.mod is sys.modules["tkc_toy"]
    del sys.modules["tkc_toy"]


def test_imported_names_are_no_keys_but_can_be_had(write: Any) -> None:
    cfg = Config.fromfile(write(a_py="from tkc_nowhere import Thing\na = 1\n"))

    assert list(cfg) == ["a"]
    assert cfg.to_dict() == {"a": 1}
    assert cfg.to_dict(keep_imported=True) == {"a": 1, "Thing": "tkc_nowhere.Thing"}


def test_imported_names_pass_through_a_star_import_of_a_base(write: Any) -> None:
    cfg = heir(write, "from tkc_nowhere import Thing\na = 1\n", "b = dict(type=Thing)\n")

    assert cfg.to_dict() == {"a": 1, "b": {"type": "tkc_nowhere.Thing"}}


def test_the_standard_library_is_imported_for_real(write: Any) -> None:
    cfg = Config.fromfile(
        write(
            a_py="""
            import json, os.path
            from math import pi
            from functools import partial
            from tkc_nowhere import X
            a = pi
            b = json.dumps([1])
            c = os.path.join('x', 'y')
            d = dict(type=X)
            """
        )
    )

    assert cfg.a == math.pi
    assert cfg.b == "[1]"
    assert cfg.c == "x/y"


def test_several_modules_on_one_line_share_nothing_but_their_package(write: Any) -> None:
    cfg = Config.fromfile(
        write(
            a_py="import tkc_no.b, tkc_no.c, tkc_other as o\n"
            "x = dict(p=tkc_no.b.f, q=tkc_no.c, r=o)\n"
        )
    )

    assert cfg.to_dict() == {"x": {"p": "tkc_no.b.f", "q": "tkc_no.c", "r": "tkc_other"}}


def test_a_placeholder_of_a_submodule_is_built(write: Any) -> None:
    lazy = LazyObject(["email.mime", "email.header"])

    assert lazy.build().__name__ == "email"
    assert LazyAttr("mime", LazyObject("email")).build().__name__ == "email.mime"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("from tkc_nowhere import *", r"a\.py:1: .*import \*.*by name"),
        ("from .other import x", r"a\.py:1: a relative import.*read_base"),
        (f"{BASE}import os", r"a\.py:3: only `from"),
        (f"{BASE}from . import x", "names no file"),
        (f"{BASE}from single import x", "is a package"),
    ],
    ids=["star", "relative outside", "plain import", "no module", "single component"],
)  # fmt: skip
def test_an_import_that_cannot_be_meant_names_its_line(write: Any, line: str, said: str) -> None:
    with pytest.raises(ConfigParsingError, match=said):
        Config.fromfile(write(a_py=line + "\n"))


def test_a_missing_base_file_says_who_asked(write: Any) -> None:
    with pytest.raises(MissingBaseError, match=r"a\.py:3: .*nothing\.py.*looked for /"):
        Config.fromfile(write(a_py=f"{BASE}from .nothing import x\n"))


def test_a_name_that_the_base_lacks_gives_the_nearest(write: Any) -> None:
    with pytest.raises(ConfigParsingError, match="defines no 'optimzer'; did you mean 'optimizer'"):
        heir(write, "optimizer = 1\n", "", "from .base import optimzer")


def test_calling_a_placeholder_says_why_it_cannot_be(write: Any) -> None:
    path = write(a_py="import tkc_np as np\na = np.float32(1)\n")

    with pytest.raises(RuntimeError, match=r"tkc_np\.float32 is only named .*a\.py:1.*dict\(type="):
        Config.fromfile(path)


def test_a_placeholder_that_cannot_be_imported_names_the_line(write: Any) -> None:
    cfg = Config.fromfile(write(a_py="import os\nfrom tkc_nowhere import X\na = dict(type=X)\n"))

    with pytest.raises(ImportError, match=r"tkc_nowhere\.X.*a\.py:2"):
        cfg.a.type


def test_file_is_the_configs_own_name(write: Any) -> None:
    path = write(a_py="from tkc_nowhere import X\na = __file__\n")

    assert Config.fromfile(path).a == str(path)


def test_custom_imports_do_not_apply(write: Any) -> None:
    text = "custom_imports = dict(imports=['no_such_mod_x'])\n"

    assert heir(write, "a = 1\n", text).custom_imports.imports == ["no_such_mod_x"]


def test_templates_do_not_apply(write: Any) -> None:
    path = write(a_py="from tkc_nowhere import X\na = '{{fileDirname}} {{$HOME}}'\n")

    assert Config.fromfile(path).a == "{{fileDirname}} {{$HOME}}"
    with pytest.raises(ConfigParsingError, match="belongs to the text dialect"):
        Config.fromfile(
            write(b_py="from tkc_nowhere import X\na = {{$HOME:x}}\n"), lazy_import=True
        )


def test_overrides_apply(write: Any) -> None:
    cfg = heir(write, "m = dict(a=[1, 2])\n", "")
    cfg.merge_from_dict({"m.a.0": 5})

    assert cfg.m.a == [5, 2]


def test_mmengine_configs_are_read_without_mmengine(write: Any) -> None:
    write(base_py="a = 1\n")
    path = write(child_py="from mmengine.config import read_base\n"
                 "with read_base():\n    from .base import *\nb = 2\n")  # fmt: skip

    assert Config.fromfile(path) == {"a": 1, "b": 2}
    assert "mmengine" not in sys.modules


def test_a_dump_is_self_contained(write: Any, tmp_path: Path) -> None:
    cfg = heir(write, "from tkc_nowhere import X\nm = dict(type=X, n=1)\n", "m.n = 2\n")
    other = tmp_path / "elsewhere" / "dumped.py"
    other.parent.mkdir()
    cfg.dump(other)

    assert (
        Config.fromfile(other).to_dict()
        == cfg.to_dict()
        == {"m": {"type": "tkc_nowhere.X", "n": 2}}
    )


def test_copies_and_pickles_keep_placeholders(write: Any) -> None:
    cfg = Config.fromfile(write(a_py="from tkc_nowhere import X\na = dict(type=X, b=X.c)\n"))

    for other in (copy.deepcopy(cfg), copy.copy(cfg), pickle.loads(pickle.dumps(cfg))):
        assert other == cfg
        assert other.to_dict() == cfg.to_dict()


def test_a_lazy_config_goes_to_a_spawned_process(write: Any) -> None:
    context = multiprocessing.get_context("spawn")
    cfg = Config({"a": {"type": LazyObject("email.message", "Message")}})
    data = pickle.dumps(cfg)
    with context.Pool(1) as pool:
        assert pool.apply(pickle.loads, (data,)).a.type.__name__ == "Message"


def test_threads_may_load_lazy_configs_at_the_same_time(write: Any) -> None:
    write(base_py="from tkc_nowhere import X\nm = dict(type=X, n=1)\n")
    path = write(child_py=f"{BASE}from .base import *\nm.n = m.n + 1\nk = m.type\n")
    ready = Config({"a": LazyObject("math", "pi")})
    seen: list[Any] = []

    def work() -> None:
        for _ in range(20):
            seen.append((Config.fromfile(path).to_dict(), ready.a))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    expected = {"m": {"type": "tkc_nowhere.X", "n": 2}, "k": "tkc_nowhere.X"}
    assert seen == [(expected, math.pi)] * 80


def test_overriding_an_imported_variable_that_was_used_is_warned_about(write: Any) -> None:
    with pytest.warns(ConfigWarning, match=r"'root' is overridden here.*'ds', which keeps"):
        cfg = heir(write, "root = 'x/'\nds = dict(root=root)\n", "root = 'y/'\n")

    assert cfg.ds.root == "x/"


@pytest.mark.parametrize(("args", "error"), [((5,), "dotted name"), (("a", 5), "name or None")])
def test_a_placeholder_checks_what_it_is_made_of(args: Any, error: str) -> None:
    with pytest.raises(TypeError, match=error):
        LazyObject(*args)
    with pytest.raises(TypeError, match="a name and a placeholder"):
        LazyAttr("a", "b")  # type: ignore[arg-type]


def test_placeholders_show_their_names() -> None:
    lazy = LazyObject("a.b", "C")

    assert (str(lazy), lazy.module, lazy.dotted_name) == ("C", "a.b", "a.b.C")
    assert (str(lazy.d), lazy.d.module) == ("d", "a.b.C")
    assert LazyObject("a.b", "C") == lazy
    assert lazy != LazyObject("a.b", "D")
