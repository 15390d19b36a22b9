from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigDict,
    ConfigFormatError,
    LazyObject,
    MissingKeyError,
    ReservedKeyError,
)


def test_an_empty_config_has_no_file_and_no_text() -> None:
    cfg = Config()

    assert len(cfg) == 0
    assert cfg.filename is None
    assert cfg.text == ""


def test_values_are_read_by_attribute_and_by_key() -> None:
    cfg = Config({"a": {"b": [{"c": 1}]}})

    assert cfg.a.b[0].c == cfg["a"]["b"][0]["c"] == 1


def test_only_a_mapping_makes_a_config() -> None:
    with pytest.raises(TypeError, match="must be a dict, not list"):
        Config([1])  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["filename", "text", "pretty_text", "env_variables"])
def test_a_reserved_key_is_refused(key: str) -> None:
    with pytest.raises(ReservedKeyError, match=f"{key}.*rename it"):
        Config({key: 1})


def test_a_child_is_merged_over_its_base(write: Any) -> None:
    write(base_py="a = dict(x=1, y=2)\nb = 3\n")
    path = write(child_py="_base_ = './base.py'\na = dict(x=5)\n")

    cfg = Config.fromfile(path)

    assert cfg == {"a": {"x": 5, "y": 2}, "b": 3}
    assert cfg.filename == str(path)


def test_a_config_survives_copying_and_pickling(write: Any) -> None:
    cfg = Config.fromfile(write(a_py="a = dict(b=[1, dict(c=2)])\n"))

    for other in (copy.copy(cfg), copy.deepcopy(cfg), pickle.loads(pickle.dumps(cfg))):
        assert other == cfg
        assert other.filename == cfg.filename
        assert other.text == cfg.text
        assert str(other.origin("a.b.1.c")) == str(cfg.origin("a.b.1.c"))


def test_a_deep_copy_shares_nothing_and_a_shallow_one_the_nodes() -> None:
    cfg = Config({"a": {"b": 1}})
    deep, shallow = copy.deepcopy(cfg), copy.copy(cfg)

    cfg.a.b = 2

    assert deep.a.b == 1
    assert shallow.a.b == 2


def test_a_config_is_a_mapping_and_equal_by_value() -> None:
    cfg = Config({"a": 1, "b": {"c": 2}})

    assert isinstance(cfg, Mapping)
    assert cfg == Config({"b": {"c": 2}, "a": 1})
    assert cfg != Config({"a": 1})
    assert list(cfg) == ["a", "b"]
    assert dict(**cfg) == {"a": 1, "b": {"c": 2}}
    assert "a" in cfg
    assert cfg.get("z", 9) == 9


def test_a_missing_key_names_the_nearest_one() -> None:
    cfg = Config({"optimizer": {"lr": 1}})

    with pytest.raises(AttributeError, match="did you mean 'optimizer'"):
        cfg.optimzer
    with pytest.raises(MissingKeyError, match="did you mean 'optimizer'"):
        cfg["optimzer"]


def test_assigned_dicts_become_nodes() -> None:
    cfg = Config()
    cfg.a = {"b": 1}
    cfg["c"] = [{"d": 2}]

    assert isinstance(cfg.a, ConfigDict)
    assert cfg.c[0].d == 2


def test_assigning_the_file_name_sets_the_property_not_a_key() -> None:
    cfg = Config({"a": 1})
    cfg.filename = "b.py"

    assert cfg.filename == "b.py"
    assert "filename" not in cfg


@pytest.mark.parametrize("name", ["text", "pretty_text", "dump", "keys"])
def test_a_property_or_method_cannot_become_a_key_by_assignment(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        setattr(Config(), name, 1)


def test_repr_names_the_file_and_the_values() -> None:
    assert repr(Config({"a": 1}, filename=None)) == "Config (path: None): {'a': 1}"


def test_a_missing_file_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nope\.py.*looked for"):
        Config.fromfile(tmp_path / "nope.py")


def test_an_unknown_ending_lists_the_formats(tmp_path: Path) -> None:
    path = tmp_path / "a.ini"
    path.write_text("")

    with pytest.raises(
        ConfigFormatError, match=r"a\.ini: '\.ini' is not a config format; use .*\.toml"
    ):
        Config.fromfile(path)
    with pytest.raises(ConfigFormatError, match="not a config format"):
        Config.fromstring("a = 1", ".txt")


def test_upper_case_endings_and_path_objects_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "A.JSON"
    path.write_text('{"a": 1}')

    assert Config.fromfile(path) == Config.fromfile(str(path)) == {"a": 1}


def test_a_frozen_config_refuses_every_change() -> None:
    cfg = Config({"a": {"b": [1, {"c": 2}]}}).freeze()

    for change in (
        lambda: setattr(cfg, "a", 1),
        lambda: cfg.a.update(b=2),
        lambda: cfg.a.b.append(3),
        lambda: cfg.a.b[1].pop("c"),
        lambda: cfg.merge_from_dict({"a.b.0": 5}),
        lambda: cfg.merge_from_dict({"z": 5}),
        lambda: cfg.a.clear(),
        lambda: cfg.a.__delitem__("b"),
    ):
        with pytest.raises(TypeError, match="frozen"):
            change()
    assert cfg == {"a": {"b": [1, {"c": 2}]}}


def test_a_deep_copy_of_a_frozen_config_can_be_changed() -> None:
    cfg = copy.deepcopy(Config({"a": [1]}).freeze())
    cfg.a.append(2)

    assert cfg.a == [1, 2]


def test_a_folder_and_a_pipe_are_no_configs(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")

    with pytest.raises(ConfigFormatError, match="is a folder, not a config file"):
        Config.fromfile(tmp_path)
    with pytest.raises(ConfigFormatError, match="is not a regular file"):
        Config.fromfile(tmp_path / "pipe.py")


def test_scripts_of_mmengine_get_lazy_values_as_placeholders(write: Any) -> None:
    cfg = Config.fromfile(write(a_py="from tkc_nowhere import X\na = dict(t=X)\n"))

    assert cfg._to_lazy_dict() == {"a": {"t": LazyObject("tkc_nowhere", "X")}}
    assert sorted(cfg._to_lazy_dict(keep_imported=True)) == ["X", "a"]


@pytest.mark.parametrize("suffix", ["py", "yaml", "json"])
def test_a_dumped_and_a_pickled_config_read_back(write: Any, tmp_path: Path, suffix: str) -> None:
    cfg = Config.fromfile(write(a_py="from tkc_nowhere import X\na = dict(t=X, n=[1.5, None])\n"))
    cfg.dump(tmp_path / f"b.{suffix}")

    assert Config.fromfile(tmp_path / f"b.{suffix}").to_dict() == cfg.to_dict()
    assert pickle.loads(pickle.dumps(cfg)).to_dict() == cfg.to_dict()
