from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from tk_config import Config, ConfigDict


def line_of(cfg: Config, path: str) -> int | None:
    origin = cfg.origin(path)
    assert origin is not None
    return origin.line


SOURCES = {
    "py": "a = dict(\n    b=[\n        1,\n        dict(\n            c=2),\n    ])\nd = 3\n",
    "yaml": "a:\n  b:\n  - 1\n  -\n    c: 2\n\nd: 3\n",
    "json": '{"a":\n {"b": [\n 1,\n {\n "c": 2}]},\n\n "d": 3}\n',
}


@pytest.mark.parametrize("suffix", SOURCES)
def test_each_leaf_of_a_file_knows_its_line(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_text(SOURCES[suffix])
    cfg = Config.fromfile(path)

    assert [line_of(cfg, p) for p in ("a.b.0", "a.b.1.c", "d")] == [3, 5, 7]
    origin = cfg.origin("a.b.1.c")
    assert origin is not None
    assert (origin.kind, origin.file, origin.previous) == ("file", str(path), None)


def test_the_chain_goes_through_all_bases_overrides_and_code(write: Any) -> None:
    root = write(root_py="a = dict(\n    b=1)\n")
    mid = write(mid_yaml="_base_: ./root.py\na:\n  b: 2\n")
    child = write(child_py="_base_ = './mid.yaml'\n\na = dict(b=3)\n")
    cfg = Config.fromfile(child)
    cfg.merge_from_dict({"a.b": 4})
    cfg.a.b = 5

    origin = cfg.origin("a.b")
    assert origin is not None
    steps = [(step.kind, step.file, step.line) for step in origin.chain()]

    assert steps[2:] == [("file", str(child), 3), ("file", str(mid), 3), ("file", str(root), 2)]
    assert [step[:2] for step in steps[:2]] == [("code", __file__), ("override", __file__)]
    assert steps[0][2] == steps[1][2] + 1  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("a = dict(b=1)\na['b'] = 2\n", "a.b", 2),
        ("a = dict(b=1)\na.update(\n    b=2)\n", "a.b", 2),
        ("x = dict(\n    b=1)\na = dict(c=x)\n", "a.c.b", 2),
        ("x = dict(\n    b=1)\na = dict(**x, c=2)\n", "a.b", 2),
        ("x = dict(\n    b=1)\na = {\n    **x,\n    'c': 2}\n", "a.c", 5),
        ("a = [dict(\n    b=i) for i in range(2)]\n", "a.1.b", 2),
        ("a = {k: 1\n    for k in 'xy'}\n", "a.y", 1),
        ("def f():\n    return dict(\n        b=1)\na = f()\n", "a.b", 3),
        ("if True:\n    a = 1\nelse:\n    a = 2\n", "a", 2),
        ("a = 1\na = 2\n", "a", 2),
        ("a, b = 1, 2\n", "b", 1),
        ("for i in range(2):\n    j = i\n", "j", 2),
        ("a = [[\n    1], [\n    2,\n    3]]\n", "a.1.1", 4),
        ("a = [\n    1,\n    2]\na.append(3)\n", "a.2", 1),
        ("import os\na: int = 3\n", "a", 2),
    ],
)
def test_code_of_a_file_leads_to_its_line(write: Any, text: str, path: str, line: int) -> None:
    assert line_of(Config.fromfile(write(a_py=text)), path) == line


def test_values_brought_in_by_read_base_keep_their_file(write: Any) -> None:
    base = write(base_py="m = dict(\n    a=1,\n    b=2)\n")
    child = write(
        child_py="from tk_config import read_base\nwith read_base():\n"
        "    from .base import *\nm.a = 5\n"
    )
    cfg = Config.fromfile(child)

    assert [str(step.file) for step in cfg.origin("m.a").chain()] == [str(child), str(base)]  # type: ignore[union-attr]
    assert line_of(cfg, "m.a") == 4
    assert line_of(cfg, "m.b") == 3


def test_one_overridden_list_element_leaves_the_others_where_they_were(write: Any) -> None:
    path = write(a_py="a = dict(b=[\n    1,\n    2])\n")
    cfg = Config.fromfile(path)
    cfg.merge_from_dict({"a.b.0": 9})

    assert cfg.origin("a.b.0").kind == "override"  # type: ignore[union-attr]
    assert [str(s.file) for s in cfg.origin("a.b.0").chain()] == [__file__, str(path)]  # type: ignore[union-attr]
    assert str(cfg.origin("a.b.1")).endswith("a.py:3")


def test_origins_survive_copying_pickling_and_freezing(write: Any) -> None:
    cfg = Config.fromfile(write(a_py="a = dict(\n    b=1)\n"))

    for other in (
        copy.copy(cfg),
        copy.deepcopy(cfg),
        pickle.loads(pickle.dumps(cfg)),
        cfg.freeze(),
    ):
        assert line_of(other, "a.b") == 2


def test_a_plain_dict_in_code_knows_nothing() -> None:
    assert Config({"a": {"b": 1}}).origin("a.b") is None
    assert ConfigDict(a=1).__config_origin__("a") is None


def test_the_protocol_gives_file_and_line_relative_to_the_current_folder(
    write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(configs__a_py="stages = [\n    dict(\n        type='X')]\n")
    monkeypatch.chdir(path.parent.parent)
    cfg = Config.fromfile("configs/a.py")

    assert cfg.__config_origin__("stages.0.type") == "configs/a.py:3"
    assert cfg.stages[0].__config_origin__("type") == "configs/a.py:3"
    assert cfg.__config_origin__("nothing.here") is None
