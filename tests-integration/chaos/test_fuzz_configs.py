"""Random configs, overrides and addresses: a value or one of our errors, soon, and no code runs."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tk_config import Config, ConfigError
from tk_fileio import FileIOError, get_file_backend, join_below

SECONDS = 10
many = settings(
    max_examples=1500,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

NAMES = st.sampled_from(["a", "b", "model", "_base_", "_delete_", "type", "dict", "__class__", "x"])
LITERALS = st.one_of(
    st.integers().map(repr),
    st.floats().map(repr),
    st.text(max_size=8).map(repr),
    st.sampled_from(["None", "True", "[]", "{}", "()", "9**9**9", "'a'*9**9", "1<<10**8", "10**6"]),
)


def _grown(expression: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(expression, expression)
    operator = st.sampled_from(
        ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "|", "&", "and", "<", "==", "in"]
    )
    return st.one_of(
        st.tuples(expression, operator, expression).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        pair.map(lambda p: f"[{p[0]}, {p[1]}]"),
        pair.map(lambda p: f"dict(a={p[0]}, b={p[1]})"),
        pair.map(lambda p: f"{{{p[0]}: {p[1]}}}"),
        pair.map(lambda p: f"{p[0]}[{p[1]}]"),
        pair.map(lambda p: f"[x for x in {p[0]} if {p[1]}]"),
        pair.map(lambda p: f"({p[0]} if {p[1]} else {p[0]})"),
        st.tuples(NAMES, expression).map(lambda p: f"{p[1]}.{p[0]}"),
        st.tuples(NAMES, expression).map(lambda p: f"{p[0]}({p[1]})"),
        expression.map(lambda e: f"f'{{{e}!r:>9}}'" if "'" not in e else e),
        expression.map(lambda e: f"__import__('os').system({e})"),
        expression.map(lambda e: f"(lambda: {e})()"),
        expression.map(lambda e: f"open({e}, 'w')"),
    )


EXPRESSIONS = st.recursive(st.one_of(LITERALS, NAMES), _grown, max_leaves=12)
STATEMENTS = st.one_of(
    st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"{p[0]} = {p[1]}"),
    st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"{p[0]} += {p[1]}"),
    st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"for {p[0]} in {p[1]}:\n    {p[0]} = 1"),
    EXPRESSIONS.map(lambda e: f"if {e}:\n    a = 1"),
    EXPRESSIONS.map(lambda e: f"while {e}:\n    a = 1"),
    st.sampled_from(
        ["import os", "from os import system", "del a", "def f(): pass", "class C: pass"]
    ),
)
PYTHON = st.lists(STATEMENTS, max_size=6).map("\n".join)


@contextmanager
def in_time() -> Iterator[None]:
    """Fail where the block takes longer than any config may."""

    def too_late(number: int, frame: Any) -> None:
        raise AssertionError(f"took more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, too_late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class ForeignCode:
    """Remembers what Python reports of code that ran and of processes that were started."""

    EVENTS = ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork")

    def __init__(self) -> None:
        self.folder = ""
        self.ran: list[str] = []
        sys.addaudithook(self._audit)  # there is no way to take it away again

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.folder:
            return
        is_config = event == "exec" and self.folder in getattr(arguments[0], "co_filename", "")
        if is_config or event in self.EVENTS:
            self.ran.append(f"{event}: {arguments}")


@pytest.fixture(scope="module")
def foreign_code() -> ForeignCode:
    return ForeignCode()


@pytest.fixture(autouse=True)
def no_code_runs(foreign_code: ForeignCode, tmp_path: Path) -> Iterator[None]:
    """Nothing that a config says runs or starts a process."""
    foreign_code.folder = str(tmp_path)
    yield
    foreign_code.folder = ""
    assert foreign_code.ran == []


def test_the_guard_sees_code_that_runs(foreign_code: ForeignCode, tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text("import os\nos.system('true')\n")

    Config.fromfile(tmp_path / "config.py")

    assert len(foreign_code.ran) == 2
    foreign_code.ran.clear()


def read_as_data(path: Path) -> None:
    with in_time():
        try:
            Config.fromfile(path, trusted=False)
        except ConfigError:
            return


@many
@given(text=PYTHON)
def test_python_read_as_data(text: str, tmp_path: Path) -> None:
    path = tmp_path / "config.py"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    read_as_data(path)


@many
@given(content=st.binary(max_size=200), suffix=st.sampled_from(["py", "yaml", "json", "toml"]))
def test_bytes_read_as_data(content: bytes, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"config.{suffix}"
    path.write_bytes(content)
    read_as_data(path)


FRAGMENTS = st.sampled_from(
    ["a: 1\n", "- ", "&a ", "*a ", "<<: ", "{", "}", "[", "]", "a.b.c = 1\n", '"a": ', "1:1:1",
     "!!python/object/apply:os.system ['x']\n", "[a]\n", "[[a]]\n", ",", "null", "1e9", "{{", "}}",
     "\t", "{{_base_.a}}", "{{$HOME}}", "_base_: x.py\n", "'", '"', "\\", "#", "\n", "  "]
)  # fmt: skip


@many
@given(
    text=st.lists(FRAGMENTS, max_size=30).map("".join),
    suffix=st.sampled_from(["py", "yaml", "json", "toml"]),
)
def test_fragments_of_every_format_read_as_data(text: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"config.{suffix}"
    path.write_text(text)
    read_as_data(path)


PATHS = st.lists(
    st.sampled_from(["a", "b", "0", "1", "+", "-1", "", "_delete_", "*", "x" * 50]), max_size=5
).map(".".join)
VALUES = st.one_of(st.integers(), st.text(max_size=5), st.just("_delete_"), st.just({"c": 1}))


@many
@given(overrides=st.dictionaries(PATHS, VALUES, max_size=4))
def test_overrides_change_the_config_or_say_why_not(overrides: dict[str, Any]) -> None:
    config = Config({"a": {"b": [1, {"a": 2}, (3,)]}, "b": 1})
    with in_time():
        try:
            config.merge_from_dict(overrides)
        except ConfigError:
            return
    assert config.pretty_text  # what was merged can be shown


@many
@given(address=st.one_of(st.text(max_size=30), st.lists(st.sampled_from(
    ["s3://", "file://", "zip://", "::", "/", "..", "a", "memory://", "\0", "~", "C:\\", "http://"]
), max_size=6).map("".join)))  # fmt: skip
def test_an_address_has_a_backend_or_a_clear_error(address: str) -> None:
    with in_time():
        try:
            get_file_backend(address)
        except (FileIOError, ValueError):
            return


@many
@given(name=st.lists(st.sampled_from(["..", ".", "a", "/", "\\", "\0", "~", "C:"])).map("".join))
def test_a_foreign_name_never_leaves_its_folder(name: str, tmp_path: Path) -> None:
    try:
        joined = join_below(tmp_path, name)
    except (FileIOError, ValueError):
        return
    assert Path(os.path.realpath(joined)).is_relative_to(os.path.realpath(tmp_path))
