from __future__ import annotations

from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigWarning,
    DuplicateKeyError,
)

BASE = "from tk_config import read_base\nwith read_base():\n    "


def heir(write: Any, base: str, child: str, imports: str = "from .base import *") -> Config:
    write(base_py=base)
    return Config.fromfile(write(child_py=f"{BASE}{imports}\n{child}"))


def test_overriding_an_imported_variable_that_was_used_is_warned_about(write: Any) -> None:
    with pytest.warns(ConfigWarning, match=r"'root' is overridden here.*'ds', which keeps"):
        cfg = heir(write, "root = 'x/'\nds = dict(root=root)\n", "root = 'y/'\n")

    assert cfg.ds.root == "x/"


def test_several_bases_are_put_together(folder: Any) -> None:
    folder.write("one", "a", "1")
    folder.write("two", "b", "2")
    path = folder.write("child", "c", "3", f"[{folder.base('one')}, {folder.base('two')}]")

    assert Config.fromfile(path) == {"a": 1, "b": 2, "c": 3}


def test_bases_may_have_bases_three_deep(folder: Any) -> None:
    folder.write("deep/er/c", "a", folder.dict(x="1", y="1", z="1"))
    folder.write("deep/b", "a", folder.dict(y="2", z="2"), folder.base("er/c"))
    folder.write("mid", "a", folder.dict(z="3"), folder.base("deep/b"))
    path = folder.write("child", "w", "4", folder.base("mid"))

    assert Config.fromfile(path) == {"a": {"x": 1, "y": 2, "z": 3}, "w": 4}


def test_a_base_that_two_parents_share_is_no_error(folder: Any) -> None:
    folder.write("grand", "a", folder.dict(x="1", y="1"))
    folder.write("left", "a", folder.dict(x="2"), folder.base("grand"))
    folder.write("right", "b", "3", folder.base("grand"))
    bases = f"[{folder.base('left')}, {folder.base('right')}]"
    path = folder.write("child", "c", "4", bases)
    turned = folder.write("turned", "c", "4", f"[{folder.base('right')}, {folder.base('left')}]")

    assert Config.fromfile(path) == {"a": {"x": 2, "y": 1}, "b": 3, "c": 4}
    assert Config.fromfile(turned) == Config.fromfile(path)


def test_two_parents_that_change_the_shared_base_differently_conflict(folder: Any) -> None:
    folder.write("grand", "a", folder.dict(x="1"))
    folder.write("left", "a", folder.dict(x="2"), folder.base("grand"))
    folder.write("right", "a", folder.dict(x="3"), folder.base("grand"))
    path = folder.write("child", "c", "4", f"[{folder.base('left')}, {folder.base('right')}]")

    with pytest.raises(DuplicateKeyError, match=r"two bases set 'a': .*left.* and .*right"):
        Config.fromfile(path)


def test_a_key_that_two_bases_set_names_both_files(folder: Any) -> None:
    folder.write("one", "a", "1")
    folder.write("two", "a", "1")
    path = folder.write("child", "c", "3", f"[{folder.base('one')}, {folder.base('two')}]")

    with pytest.raises(
        DuplicateKeyError, match=rf"one\.{folder.suffix}:1 and .*two\.{folder.suffix}:1"
    ):
        Config.fromfile(path)


def test_deprecation_warns_for_the_file_and_for_its_heirs(folder: Any) -> None:
    value = folder.dict(expected='"new.py"', reference='"http://x"')
    base = folder.write("old", "_deprecation_", value)
    child = folder.write("child", "a", "1", folder.base("old"))

    for path in (base, child):
        with pytest.warns(
            DeprecationWarning, match=rf"old\.{folder.suffix} is deprecated; use new\.py.*http://x"
        ):
            cfg = Config.fromfile(path)
        assert "_deprecation_" not in cfg


def test_overriding_a_variable_that_the_base_used_is_warned_about(write: Any) -> None:
    write(base_py="root = 'x/'\nds = dict(root=root)\n")
    path = write(child_py="_base_ = './base.py'\nroot = 'y/'\n")

    with pytest.warns(ConfigWarning, match=r"child\.py:2: 'root' .*base\.py:1.* 'ds', which keeps"):
        assert Config.fromfile(path).ds.root == "x/"


def test_no_warning_when_the_user_of_the_variable_is_overridden_too(write: Any) -> None:
    write(base_py="root = 'x/'\nds = dict(root=root)\n")
    path = write(child_py="_base_ = './base.py'\nroot = 'y/'\nds = dict(root=root)\n")

    assert Config.fromfile(path).ds.root == "y/"


def test_two_bases_may_share_a_base(write: Any) -> None:
    write(g_py="a = 1\n")
    write(l_py="_base_ = './g.py'\nb = 2\n", r_py="_base_ = './g.py'\nc = 3\n")

    assert Config.fromfile(write(x_py="_base_ = ['./l.py', './r.py']\n")) == {
        "a": 1,
        "b": 2,
        "c": 3,
    }
