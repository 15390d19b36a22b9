from __future__ import annotations

import math
import sys
from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigParsingError,
)

BASE = "from tk_config import read_base\nwith read_base():\n    "


def heir(write: Any, base: str, child: str, imports: str = "from .base import *") -> Config:
    write(base_py=base)
    return Config.fromfile(write(child_py=f"{BASE}{imports}\n{child}"))


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


def test_mmengine_configs_are_read_without_mmengine(write: Any) -> None:
    write(base_py="a = 1\n")
    path = write(child_py="from mmengine.config import read_base\n"
                 "with read_base():\n    from .base import *\nb = 2\n")  # fmt: skip

    assert Config.fromfile(path) == {"a": 1, "b": 2}
    assert "mmengine" not in sys.modules
