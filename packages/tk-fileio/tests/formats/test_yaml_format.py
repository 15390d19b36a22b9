from __future__ import annotations

import io
import sys
from collections import OrderedDict
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from format_suite import FormatSuite

import tk_fileio
from tk_fileio import BaseFileHandler, MissingExtraError, ParseError
from tk_fileio.formats import yaml_format
from tk_fileio.formats.yaml_format import YamlHandler

pytest.importorskip("yaml")


class TestYaml(FormatSuite):
    @pytest.fixture
    def handler(self) -> BaseFileHandler:
        return YamlHandler()

    @pytest.fixture(params=["yaml", "yml"])
    def suffix(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def example(self) -> tuple[bytes, Any]:
        return "a:\n- 1\n- 2.5\n- ü\n".encode(), {"a": [1, 2.5, "ü"]}


class TestYamlWithoutTheCLibrary(TestYaml):
    @pytest.fixture(autouse=True)
    def _without_c(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import yaml

        for name in ("CSafeLoader", "CSafeDumper"):
            monkeypatch.delattr(yaml, name, raising=False)
        monkeypatch.setattr(yaml_format, "_loader", yaml_format._loader.__wrapped__)
        monkeypatch.setattr(yaml_format, "_dumper", yaml_format._dumper.__wrapped__)


def read(text: str, folder: Path) -> Any:
    (folder / "a.yaml").write_text(text)
    return tk_fileio.load(folder / "a.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("1E5", 1e5),
        ("-2e+4", -2e4),
        ("+1.5e3", 1500.0),
        (".5e-1", 0.05),
        ("1.e2", 100.0),
        ("1_0e2", 1000.0),
        ("1e", "1e"),
        ("e3", "e3"),
        ("1e-3x", "1e-3x"),
        ("'1e-3'", "1e-3"),
        ("12", 12),
        ("1.5", 1.5),
    ],
)
def test_a_number_with_an_exponent_is_a_float(text: str, value: object, tmp_path: Path) -> None:
    found = read(f"a: {text}", tmp_path)["a"]

    assert found == value
    assert type(found) is type(value)


CODE = {
    "apply": "!!python/object/apply:os.system ['touch {canary}']",
    "new": "!!python/object/new:os.system ['touch {canary}']",
    "name": "!!python/name:os.system",
    "module": "!!python/module:os",
    "object": "!!python/object:collections.OrderedDict {}",
    "tuple": "!!python/tuple [1, 2]",
    "own": "!mine x",
}


@pytest.mark.parametrize("text", CODE.values(), ids=CODE)
def test_a_tag_that_builds_or_calls_is_refused(text: str, tmp_path: Path) -> None:
    canary = tmp_path / "canary"

    with pytest.raises(ParseError, match=r"a\.yaml:2:4: .*data.*refused"):
        read("x: 1\na: " + text.replace("{canary}", str(canary)), tmp_path)
    assert not canary.exists()


@pytest.mark.parametrize(
    ("text", "line", "first"),
    [
        ("a: 1\nb: 2\na: 3", 3, 1),
        ("x:\n  a: 1\n  'a': 2", 3, 2),
        ("- {a: 1, a: 2}", 1, 1),
        ("1: x\n0x1: y", 2, 1),
        ("b: &b {p: 1}\nc:\n  <<: *b\n  p: 2\n  p: 3", 5, 4),
    ],
)
def test_a_key_given_twice_is_refused_with_both_lines(
    text: str, line: int, first: int, tmp_path: Path
) -> None:
    with pytest.raises(ParseError, match=f"twice, first in line {first}") as caught:
        read(text, tmp_path)
    assert caught.value.line == line


def test_merged_keys_may_be_overridden(tmp_path: Path) -> None:
    text = "b: &b {p: 1, q: 2}\nc: &c\n  <<: *b\n  p: 3\nd: *c\ne: {<<: [*b, *c], q: 4}"

    value = read(text, tmp_path)

    assert value["c"] == value["d"] == {"p": 3, "q": 2}
    assert value["e"] == {"p": 1, "q": 4}


@pytest.mark.parametrize("text", ["a: [1", "a: 1\n b: 2", "a: *nowhere", "a: 1\n---\nb: 2", "@"])
def test_a_mistake_is_shown_with_its_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"a\.yaml:\d+:\d+: not YAML"):
        read(text, tmp_path)


@pytest.mark.parametrize("depth", [5_000, 200_000])
def test_endless_nesting_is_an_error(depth: int, tmp_path: Path) -> None:
    with pytest.raises(ParseError, match="nest"):
        read("[" * depth, tmp_path)


class Colour(str, Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ((1, (2,)), [1, [2]]),
        (OrderedDict(a=1), {"a": 1}),
        (Path("a/b"), "a/b"),
        (range(2), [0, 1]),
        (Colour.RED, "red"),
    ],
    ids=str,
)
def test_look_alikes_are_written_as_builtins(value: object, plain: object, tmp_path: Path) -> None:
    tk_fileio.dump(value, tmp_path / "a.yaml")

    assert tk_fileio.load(tmp_path / "a.yaml") == plain


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    monkeypatch.setattr(yaml_format, "_loader", yaml_format._loader.__wrapped__)

    with pytest.raises(MissingExtraError, match=r"'tk-fileio\[yaml\]'"):
        YamlHandler().load_from_fileobj(None)  # type: ignore[arg-type]  # not reached


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: 1\nb: 1" + ":59" * 50_000, "base 60 of more than 20 parts"),
        ("a: 1\nb: 1" + ":59" * 50_000 + ".5", "base 60 of more than 20 parts"),
        ("a: 2024-99-99", "not of its type: month must be"),
        ("a: !!int x", "not of its type: invalid literal"),
        ("a: !!float x", "not of its type: could not convert"),
        ("a: !!timestamp x", "not of its type"),
    ],
    ids=lambda text: text[:20],
)
def test_a_value_that_cannot_be_made_is_a_parse_error(text: str, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        tk_fileio.load(io.StringIO(text), file_format="yaml")


def test_times_of_day_are_numbers_in_base_60_as_before() -> None:
    assert tk_fileio.load(io.StringIO("a: 1:30:00"), file_format="yaml") == {"a": 5400}


def test_merges_of_merges_do_not_multiply() -> None:
    lines = ["a0: &a0 {k: 1}"]
    for level in range(1, 30):
        many = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level}\n  <<: [{many}]")

    assert tk_fileio.load(io.StringIO("\n".join(lines)), file_format="yaml")["a29"] == {"k": 1}
