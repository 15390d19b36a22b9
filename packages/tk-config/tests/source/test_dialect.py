from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tk_config import Config, ConfigParsingError


def test_a_class_imported_into_a_text_config_does_not_flip_it(write: Any) -> None:
    write(base_py="a = dict(x=1, y=2)\n")
    path = write(child_py="from email.message import Message\n_base_ = './base.py'\n"
                 "a = dict(x=5, type=Message)\n")  # fmt: skip

    cfg = Config.fromfile(path)

    assert cfg.a.y == 2
    assert cfg.a.type.__name__ == "Message"
    assert "Message" not in cfg


@pytest.mark.parametrize(
    "lines",
    [
        "from {} import X\n_base_ = './base.py'\n",
        "_base_ = './base.py'\nfrom {} import X\n",
    ],
    ids=["import first", "base first"],
)
def test_a_foreign_import_and_base_live_together(
    write: Any, lines: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tkc_mix.py").write_text("class X: pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    write(base_py="a = 1\n")
    path = write(child_py=lines.format("tkc_mix") + "b = dict(type=X)\n")

    cfg = Config.fromfile(path)

    assert cfg.a == 1
    assert cfg.b.type.__module__ == "tkc_mix"
    assert cfg.dump() == "a = 1\nb = dict(type='tkc_mix.X')\n"


def test_the_explicit_argument_wins(write: Any) -> None:
    path = write(
        a_py="from collections import OrderedDict\na = OrderedDict(b=1)\ndel OrderedDict\n"
    )

    assert Config.fromfile(path, lazy_import=False) == {"a": {"b": 1}}

    path = write(b_py="from email.message import Message\nimport email\na = dict(t=Message)\n")
    assert Config.fromfile(path, lazy_import=True).a.t.__name__ == "Message"

    path = write(c_py="import tkc_nowhere\na = 1\n")
    assert Config.fromfile(path) == {"a": 1}
    with pytest.raises(ModuleNotFoundError, match="tkc_nowhere"):
        Config.fromfile(path, lazy_import=False)


def test_both_ways_to_inherit_in_one_file_name_both_lines(write: Any) -> None:
    path = write(a_py="_base_ = './b.py'\nfrom tk_config import read_base\nwith read_base():\n"
                 "    from .b import *\n")  # fmt: skip

    with pytest.raises(ConfigParsingError, match=r"a\.py:3: .*`_base_` \(line 1\)"):
        Config.fromfile(path)


@pytest.mark.parametrize(
    ("text", "lazy", "said"),
    [
        ("_base_ = './b.py'\n", True, r"a\.py:1: `_base_` belongs to the text dialect"),
        ("with read_base():\n    from .b import *\n", False, r"a\.py:1: .*pure-Python dialect"),
    ],
)
def test_an_argument_against_what_the_file_says_names_the_line(
    write: Any, text: str, lazy: bool, said: str
) -> None:
    with pytest.raises(ConfigParsingError, match=said):
        Config.fromfile(write(a_py=text), lazy_import=lazy)


def test_each_dialect_inherits_from_the_other(write: Any) -> None:
    write(text_py="_base_ = './root.yaml'\na = dict(x={{_base_.r}})\n", root_yaml="r: 7\n")
    write(lazy_py="from tk_config import read_base\nfrom tkc_nowhere import X\n"
          "with read_base():\n    from .text import *\na.t = X\n")  # fmt: skip
    path = write(top_py="_base_ = './lazy.py'\na = dict(z=3)\n")

    assert Config.fromfile(path).to_dict() == {
        "r": 7,
        "a": {"x": 7, "t": "tkc_nowhere.X", "z": 3},
    }


def test_the_dialect_is_the_same_in_a_virtual_environment(write: Any, tmp_path: Path) -> None:
    path = write(a_py="from functools import partial\nimport json, os\na = json.dumps(1)\n")
    code = f"from tk_config import Config; print(Config.fromfile({str(path)!r}).to_dict())"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "{'a': '1'}"


def test_a_bare_template_makes_a_file_of_the_text_dialect(write: Any) -> None:
    path = write(a_py="from email.message import Message\nn = {{$TKC_N:5}}\n")

    assert Config.fromfile(path) == {"n": 5}


def test_the_explicit_dialect_is_not_guessed_again(write: Any) -> None:
    text = "from collections import OrderedDict\na = OrderedDict(b=1)\ndel OrderedDict\n"

    assert Config.fromfile(write(a_py=text), lazy_import=False) == {"a": {"b": 1}}
