from __future__ import annotations

import collections
import datetime
import enum
import math
import re
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tk_config import Config, DumpError, LazyObject
from tk_config.writing.diff import same

given = pytest.importorskip("hypothesis").given


LAW = settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


texts = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="'\"\\\n{}$_base.fileDrnm:é\u2028", max_size=20),
    st.sampled_from(
        [
            "{{fileDirname}}",
            "{{$X:1}}",
            "{{_base_.a}}",
            "{{'{{'}}x",
            "1e-3",
            "yes",
            "null",
            "~",
            "0x1",
        ]
    ),
)


numbers = st.one_of(
    st.integers(),
    st.floats(allow_nan=True, allow_infinity=True),
    st.booleans(),
    st.none(),
    st.complex_numbers(allow_nan=False),
)


zones = st.timezones() if False else st.just(datetime.timezone.utc)


odd = st.one_of(
    st.binary(max_size=5),
    st.dates(),
    st.datetimes(timezones=st.none() | zones),
    st.timedeltas(),
    st.sampled_from([Path("a/b c"), PurePosixPath("/x"), PureWindowsPath("C:\\new\\x"), ...]),
    st.sampled_from([range(1, 5, 2), slice(1, None), frozenset({1, 2}), set(), {"a"}]),
)


keys = st.one_of(
    texts,
    st.sampled_from(
        ["class", "lambda", "_base_", "_items_", "dict", "float", "pathlib", "_delete_"]
    ),
    st.sampled_from(["a.b", "a-b", "__x", "ﬁ", "é", "datetime", "True", "set", "custom"]),
)


inner_keys = st.one_of(keys, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False))


leaves = st.one_of(texts, numbers, odd)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(inner_keys, inner, max_size=4),
    )


RESERVED = {"filename", "text", "pretty_text", "env_variables", "_deprecation_", "custom_imports"}


trees = st.dictionaries(
    keys.filter(lambda key: key not in RESERVED),
    st.recursive(leaves, nested, max_leaves=12),
    max_size=5,
)


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Local(str):
    pass


def local_function() -> Any:
    def inner() -> None: ...

    return inner


@LAW
@given(trees)
def test_a_dumped_config_loads_back_equal(tmp_path: Path, tree: dict[Any, Any]) -> None:
    cfg = Config(tree)
    path = tmp_path / "a.py"
    cfg.dump(path)

    assert same(Config.fromfile(path).to_dict(), cfg.to_dict())
    assert same(Config.fromstring(path.read_text(encoding="utf-8"), ".py").to_dict(), cfg.to_dict())


@LAW
@given(trees)
def test_dumping_twice_gives_the_same_text(tree: dict[Any, Any]) -> None:
    text = Config(tree).dump_text(".py")

    assert Config.fromstring(text, ".py").dump_text(".py") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("inf"), "float('inf')"),
        (-float("inf"), "float('-inf')"),
        (1e-3, "0.001"),
        ((1,), "(1,)"),
        ((), "()"),
        ({}, "dict()"),
        ([], "[]"),
        ({"a": 1, "b-c": 2}, "{'a': 1, 'b-c': 2}"),
        ({"a": 1, "b": 2}, "dict(a=1, b=2)"),
        ('it\'s "so"', "'it\\'s \"so\"'"),
        ("E:\\a\\User\\new", "'E:\\\\a\\\\User\\\\new'"),
        (math.sqrt, "'math.sqrt'"),
        (collections.OrderedDict, "'collections.OrderedDict'"),
        (dict.fromkeys, "'builtins.dict.fromkeys'"),
        (int, "'builtins.int'"),
        (LazyObject("a.b", "C"), "'a.b.C'"),
        (Level.HIGH, "3"),
        (Local("x"), "'x'"),
        (collections.OrderedDict(a=1), "dict(a=1)"),
        (set(), "set()"),
        ({3, 1}, "{1, 3}"),
    ],
)
def test_a_value_is_written_as(value: Any, text: str) -> None:
    assert Config({"x": value}).dump() == f"x = {text}\n"


def test_nan_loads_back_as_nan() -> None:
    cfg = Config.fromstring(str(Config({"x": float("nan")}).dump()), ".py")

    assert math.isnan(cfg.x)


def test_long_containers_get_a_line_for_each_item() -> None:
    cfg = Config({"pipeline": [{"type": "Resize", "scale": (1333, 800), "keep": True}] * 2, "b": 1})

    assert cfg.pretty_text == (
        "b = 1\n"
        "pipeline = [\n"
        "    dict(keep=True, scale=(1333, 800), type='Resize'),\n"
        "    dict(keep=True, scale=(1333, 800), type='Resize'),\n"
        "]\n"
    )


def test_modules_are_left_out() -> None:
    assert Config({"m": math, "n": [math, 1], "d": {"m": math}}).dump() == "d = dict()\nn = [1]\n"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (lambda: 1, "lambda or a local object cannot be named"),
        (local_function(), "lambda or a local object cannot be named"),
        (object(), "no literal"),
        (re.compile("x"), "no literal"),
        (Colour.RED, "no literal"),
        (bytearray(b"x"), "no literal"),
    ],
    ids=["lambda", "local", "object", "pattern", "enum", "bytearray"],
)
def test_what_cannot_be_written_is_an_error_naming_the_key(value: Any, said: str) -> None:
    for suffix in (".py", ".json", ".yaml"):
        with pytest.raises(DumpError, match=rf"a\.b\.1: .*{said}"):
            Config({"a": {"b": [0, value]}}).dump_text(suffix)


def test_pretty_text_shows_what_cannot_be_written_and_never_fails() -> None:
    text = Config({"a": object(), "b": lambda: 1}).pretty_text

    assert "builtins.object" in text
    assert list(Config.fromstring(text, ".py")) == ["a", "b"]


def test_numpy_scalars_are_written_as_numbers() -> None:
    np = pytest.importorskip("numpy")
    tree = {
        "a": np.float32(0.1),
        "b": np.int64(3),
        "c": np.bool_(True),
        "d": np.float64("inf"),
        "e": np.str_("x"),
        "f": np.longdouble(1.5),
        "g": np.datetime64("2020-01-01"),
    }
    loaded = Config.fromstring(str(Config(tree).dump()), ".py")

    assert loaded == tree
    assert type(loaded.a) is float
    with pytest.raises(DumpError, match=r"a: .*ndarray object"):
        Config({"a": np.zeros(2)}).dump()


def test_a_dump_without_a_file_is_in_the_format_that_was_read(write: Any) -> None:
    assert Config({"b": 2, "a": 1}).dump() == "a = 1\nb = 2\n"
    assert Config.fromfile(write(a_py="b = 2\na = 1\n")).dump() == "a = 1\nb = 2\n"
    assert Config.fromfile(write(a_json='{"b": 2, "a": 1}')).dump() == '{"b": 2, "a": 1}'
    assert Config.fromfile(write(a_yaml="b: 2\na:\n- 1\n")).dump() == "b: 2\na:\n- 1\n"
    assert Config.fromfile(write(a_toml="b = 2\n")).dump() == "b = 2\n"


def test_a_failed_dump_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    Config({"a": 1}).dump(path)

    with pytest.raises(DumpError):
        Config({"a": object()}).dump(path)
    assert path.read_text() == "a = 1\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.py"]


def test_no_formatter_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yapf", None)

    assert Config({"a": 1}, format_python_code=True).pretty_text == "a = 1\n"


def test_a_config_made_of_arguments_writes_what_is_known(tmp_path: Path) -> None:
    Config({"work_dir": "w", "model": {"type": "M"}}).dump(tmp_path / "a.py")

    assert Config.fromfile(tmp_path / "a.py") == {"work_dir": "w", "model": {"type": "M"}}


@pytest.mark.parametrize("value", ["E:\\a\\User\\new", "\\u0041 \\N", "a\\"])
def test_windows_paths_load_back_equal(value: str) -> None:
    text = Config({"p": value}).pretty_text

    assert Config.fromstring(text, ".py").p == value


def test_a_configs_text_may_be_a_value_of_another() -> None:
    inner = Config({"a": "it's", "b": 'say "x"', "c": "l1\nl2", "d": "'''\"\"\""})
    outer = Config({"some": {"config": inner.pretty_text}})

    loaded = Config.fromstring(outer.pretty_text, ".py")

    assert loaded == outer
    assert Config.fromstring(loaded.some.config, ".py") == inner


def test_a_dumped_config_is_self_contained(write: Any, tmp_path: Path) -> None:
    write(base_py="a = dict(b=1)\n")
    text = "from tk_config import read_base\nwith read_base():\n    from .base import *\na.b = 2\n"
    cfg = Config.fromfile(write(child_py=text))
    (tmp_path / "out").mkdir()
    cfg.dump(tmp_path / "out" / "child.py")

    assert Config.fromfile(tmp_path / "out" / "child.py") == {"a": {"b": 2}}


def test_infinities_nan_and_odd_keys_load_back() -> None:
    tree = {"a": math.inf, "b": -math.inf, "c-d": 1, "e f": {"g": 2}, "class": 3}

    assert Config.fromstring(str(Config(tree).dump()), ".py") == tree


def test_a_huge_integer_is_written_and_loads_back() -> None:
    cfg = Config({"a": 1 << 20_000})

    assert Config.fromstring(cfg.pretty_text, ".py", trusted=True) == cfg
    with pytest.raises(DumpError, match=r"^a: an integer of more than 4000 digits"):
        cfg.dump_text(".json")
