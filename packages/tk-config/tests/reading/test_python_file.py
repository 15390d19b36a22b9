from __future__ import annotations

import math
import multiprocessing
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigParsingError,
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


def test_a_missing_base_file_says_who_asked(write: Any) -> None:
    with pytest.raises(MissingBaseError, match=r"a\.py:3: .*nothing\.py.*looked for /"):
        Config.fromfile(write(a_py=f"{BASE}from .nothing import x\n"))


def test_a_name_that_the_base_lacks_gives_the_nearest(write: Any) -> None:
    with pytest.raises(ConfigParsingError, match="defines no 'optimzer'; did you mean 'optimizer'"):
        heir(write, "optimizer = 1\n", "", "from .base import optimzer")


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


def test_base_paths_may_be_computed_from_names_above(write: Any) -> None:
    write(b_py="x = 1\n")
    path = write(c_py="d = '.'\n_base_ = [f'{d}/b.py']\ny = _base_.x + 1\n")

    assert Config.fromfile(path) == {"x": 1, "d": ".", "y": 2}
    assert Config.fromfile(path, trusted=False) == {"x": 1, "d": ".", "y": 2}
