"""What users of the predecessor reported, each as a kind of mistake that cannot come back.

The numbers are those of the reports.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

from tk_config import Config, ConfigWarning


def test_940_a_bare_environment_variable_is_typed_without_a_flag(write: Any) -> None:
    assert Config.fromfile(write(a_py="n = {{$TKC_MY_N:5}}\n")).n == 5


def test_1239_the_explicit_dialect_is_not_guessed_again(write: Any) -> None:
    text = "from collections import OrderedDict\na = OrderedDict(b=1)\ndel OrderedDict\n"

    assert Config.fromfile(write(a_py=text), lazy_import=False) == {"a": {"b": 1}}


def test_679_1410_no_table_of_packages_is_needed(
    write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "tkc_any"
    (package / "configs" / "n").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "configs" / "n" / "a.py").write_text("a = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert Config.fromfile(write(c_py="_base_ = 'tkc_any::n/a.py'\n")).a == 1


def test_758_base_paths_may_be_computed_from_names_above(write: Any) -> None:
    write(b_py="x = 1\n")
    path = write(c_py="d = '.'\n_base_ = [f'{d}/b.py']\ny = _base_.x + 1\n")

    assert Config.fromfile(path) == {"x": 1, "d": ".", "y": 2}
    assert Config.fromfile(path, trusted=False) == {"x": 1, "d": ".", "y": 2}


def test_378_assigning_into_a_dict_just_made_loads(write: Any) -> None:
    assert Config.fromfile(write(a_py="a = dict()\na['k'] = 1\n")) == {"a": {"k": 1}}


def test_647_files_are_utf8_whatever_the_locale(write: Any, tmp_path: Path) -> None:
    path = write(a_py="a = '汉字 é'\n", )  # fmt: skip
    code = (
        "import sys; from tk_config import Config\n"
        "cfg = Config.fromfile(sys.argv[1]); cfg.dump(sys.argv[2])\n"
        "assert Config.fromfile(sys.argv[2]) == cfg\n"
    )
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for name in ("b.py", "b.yaml", "b.json"):
        subprocess.run([sys.executable, "-c", code, path, tmp_path / name], env=env, check=True)

        assert Config.fromfile(tmp_path / name).a == "汉字 é"


def test_11319_overriding_a_variable_that_the_base_used_is_warned_about(write: Any) -> None:
    write(base_py="root = 'x/'\nds = dict(root=root)\n")
    path = write(child_py="_base_ = './base.py'\nroot = 'y/'\n")

    with pytest.warns(ConfigWarning, match=r"child\.py:2: 'root' .*base\.py:1.* 'ds', which keeps"):
        assert Config.fromfile(path).ds.root == "x/"


def test_11319_no_warning_when_the_user_of_the_variable_is_overridden_too(write: Any) -> None:
    write(base_py="root = 'x/'\nds = dict(root=root)\n")
    path = write(child_py="_base_ = './base.py'\nroot = 'y/'\nds = dict(root=root)\n")

    assert Config.fromfile(path).ds.root == "y/"


def test_10962_no_formatter_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yapf", None)

    assert Config({"a": 1}, format_python_code=True).pretty_text == "a = 1\n"


def test_1155_a_config_made_of_arguments_writes_what_is_known(tmp_path: Path) -> None:
    Config({"work_dir": "w", "model": {"type": "M"}}).dump(tmp_path / "a.py")

    assert Config.fromfile(tmp_path / "a.py") == {"work_dir": "w", "model": {"type": "M"}}


@pytest.mark.parametrize("value", ["E:\\a\\User\\new", "\\u0041 \\N", "a\\"])
def test_221_windows_paths_load_back_equal(value: str) -> None:
    text = Config({"p": value}).pretty_text

    assert Config.fromstring(text, ".py").p == value


def test_1359_a_configs_text_may_be_a_value_of_another() -> None:
    inner = Config({"a": "it's", "b": 'say "x"', "c": "l1\nl2", "d": "'''\"\"\""})
    outer = Config({"some": {"config": inner.pretty_text}})

    loaded = Config.fromstring(outer.pretty_text, ".py")

    assert loaded == outer
    assert Config.fromstring(loaded.some.config, ".py") == inner


def test_1197_a_dumped_config_is_self_contained(write: Any, tmp_path: Path) -> None:
    write(base_py="a = dict(b=1)\n")
    text = "from tk_config import read_base\nwith read_base():\n    from .base import *\na.b = 2\n"
    cfg = Config.fromfile(write(child_py=text))
    (tmp_path / "out").mkdir()
    cfg.dump(tmp_path / "out" / "child.py")

    assert Config.fromfile(tmp_path / "out" / "child.py") == {"a": {"b": 2}}


def test_1685_two_bases_may_share_a_base(write: Any) -> None:
    write(g_py="a = 1\n")
    write(l_py="_base_ = './g.py'\nb = 2\n", r_py="_base_ = './g.py'\nc = 3\n")

    assert Config.fromfile(write(x_py="_base_ = ['./l.py', './r.py']\n")) == {
        "a": 1,
        "b": 2,
        "c": 3,
    }


def test_759_several_options_on_one_command_line_add_up() -> None:
    cfg = Config({"a": 1, "b": [{"c": 1}]})
    cfg.merge_from_dict({"a": 2, "b.0.c": 3})

    assert cfg == {"a": 2, "b": [{"c": 3}]}


def test_166_1390_a_class_in_a_config_becomes_plain_data() -> None:
    assert (
        Config({"v": {"type": OrderedDict}}).dump() == "v = dict(type='collections.OrderedDict')\n"
    )


def test_infinities_nan_and_odd_keys_load_back() -> None:
    tree = {"a": math.inf, "b": -math.inf, "c-d": 1, "e f": {"g": 2}, "class": 3}

    assert Config.fromstring(str(Config(tree).dump()), ".py") == tree


def test_a_yaml_tag_runs_no_code(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: !!python/object/apply:os.system ['touch hacked']\n")

    with pytest.raises(RuntimeError, match=r"a\.yaml:1:4: .*tag"):
        Config.fromfile(path)
