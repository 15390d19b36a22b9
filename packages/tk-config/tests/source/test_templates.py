from __future__ import annotations

from typing import Any

import pytest

from tk_config import (
    Config,
    EnvironmentKeyError,
    MissingKeyError,
    UnsafeConfigError,
)


def read(text: str) -> Config:
    return Config.fromstring(text, ".py")


def test_the_environment_is_not_read(monkeypatch: pytest.MonkeyPatch, write: Any) -> None:
    monkeypatch.setenv("TKC_SECRET", "real")
    text = "a = '{{$TKC_SECRET:default}}'\nb = '{{$TKC_SECRET}}'\nc = {{$TKC_SECRET:5}}\n"
    expected = {"a": "default", "b": "{{$TKC_SECRET}}", "c": 5}

    for cfg in (read(text), Config.fromfile(write(a_py=text), trusted=False)):
        assert cfg == expected
        assert cfg.env_variables == {}


@pytest.mark.parametrize("folder", ["py", "yaml", "json"], indirect=True)
def test_a_bare_base_variable_is_the_value_itself(folder: Any) -> None:
    folder.write("base", "a", folder.dict(x="5", y="[1, 2]"))
    value = folder.dict(p="{{_base_.a.x}}", q="[{{ _base_.a.y }}, 7]")
    path = folder.write("child", "b", value, folder.base("base"))

    assert Config.fromfile(path).b == {"p": 5, "q": [[1, 2], 7]}


def test_a_base_variable_within_quotes_is_the_value_when_it_stands_alone(folder: Any) -> None:
    folder.write("base", "a", folder.dict(x="5"))
    value = folder.dict(p='"{{_base_.a.x}}"', q='"n={{_base_.a.x}}"')
    path = folder.write("child", "b", value, folder.base("base"))

    assert Config.fromfile(path).b == {"p": 5, "q": "n=5"}


@pytest.mark.parametrize("folder", ["py", "yaml", "json"], indirect=True)
def test_an_unknown_base_variable_names_file_and_nearest_key(folder: Any) -> None:
    folder.write("base", "alpha", "1")
    path = folder.write("child", "b", "{{_base_.alpa}}", folder.base("base"))

    with pytest.raises(MissingKeyError, match=rf"child\.{folder.suffix}:\d.*did you mean 'alpha'"):
        Config.fromfile(path)


def test_base_values_are_live_in_python(write: Any) -> None:
    write(base_py="item = [1, 2]\nd = dict(x=dict(y=3))\n")
    path = write(
        child_py="""
        _base_ = './base.py'
        _base_.item[0] = _base_.d.x.y
        first, second = _base_.item
        v = dict(a=[_base_.d.x, {{_base_.item}}], t=(_base_.d.x.y,))
        """
    )

    cfg = Config.fromfile(path)

    assert cfg.item == [3, 2]
    assert (cfg.first, cfg.second) == (3, 2)
    assert cfg.v == {"a": [{"y": 3}, [3, 2]], "t": (3,)}


def test_a_value_taken_from_the_base_is_a_copy(write: Any) -> None:
    write(base_py="d = dict(x=[1])\n")
    path = write(child_py="_base_ = './base.py'\ne = {{_base_.d}}\nf = _base_.d\ne['x'] = [2]\n")

    cfg = Config.fromfile(path)
    cfg.f.x.append(3)

    assert cfg.d.x == [1]
    assert cfg.e.x == [2]


def test_a_base_variable_without_a_base_says_so(write: Any) -> None:
    with pytest.raises(MissingKeyError, match=r"a\.py:1: .*needs a base"):
        Config.fromfile(write(a_py="x = '{{_base_.y}}'\n"))


def test_predefined_variables_are_those_of_their_own_file(folder: Any) -> None:
    text = '"{{fileDirname}}|{{ fileBasename }}|{{fileBasenameNoExtension}}|{{fileExtname}}"'
    folder.write("sub/base", "a", text)
    path = folder.write("child", "b", text, folder.base("sub/base"))

    cfg = Config.fromfile(path)

    here, s = folder.path.as_posix(), folder.suffix
    assert cfg.a == f"{here}/sub|base.{s}|base|.{s}"
    assert cfg.b == f"{here}|child.{s}|child|.{s}"


def test_the_path_of_a_base_may_hold_predefined_variables(folder: Any) -> None:
    folder.write("sub/base", "a", "1")
    path = folder.write("child", "b", "2", f'["{{{{fileDirname}}}}/sub/base.{folder.suffix}"]')

    assert Config.fromfile(path) == {"a": 1, "b": 2}


def test_predefined_variables_can_be_left_alone(folder: Any) -> None:
    path = folder.write("a", "x", '"{{fileBasename}}"')

    assert Config.fromfile(path, use_predefined_variables=False).x == "{{fileBasename}}"


def test_a_predefined_variable_may_stand_bare_or_in_an_f_string(write: Any) -> None:
    path = write(a_py="x = {{fileBasename}}\nn = 3\ny = f'{{fileBasename}}-{n}'\nz = f'{{n}}'\n")

    assert Config.fromfile(path) == {"x": "a.py", "n": 3, "y": "a.py-3", "z": "{n}"}


def test_templates_in_comments_mean_nothing(write: Any) -> None:
    path = write(a_py="# {{$NOT_SET}} and {{_base_.x}}\nx = 1  # {{fileDirname}}\n")

    assert Config.fromfile(path) == {"x": 1}


def test_double_braces_that_are_no_template_stay(write: Any) -> None:
    path = write(a_py="x = '{{ other }} {{}}'\ny = {'a': {'b': {'c': 1}}}\n")

    assert Config.fromfile(path) == {"x": "{{ other }} {{}}", "y": {"a": {"b": {"c": 1}}}}


@pytest.mark.parametrize("folder", ["py", "yaml", "json"], indirect=True)
@pytest.mark.parametrize("form", ["{{$TKC_N:5}}", "{{'$TKC_N:5'}}", '{{"$TKC_N:5"}}'])
def test_a_bare_environment_variable_is_typed(
    folder: Any, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder.write("a", "n", form)
    assert Config.fromfile(path).n == 5

    monkeypatch.setenv("TKC_N", "0.5")
    cfg = Config.fromfile(path)

    assert cfg.n == 0.5
    assert cfg.env_variables == {"TKC_N": "0.5"}


def test_an_environment_variable_within_quotes_is_text(
    folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder.write("a", "n", '"{{$TKC_N:5}}/x"')
    assert Config.fromfile(path).n == "5/x"

    monkeypatch.setenv("TKC_N", "7")

    assert Config.fromfile(path).n == "7/x"


@pytest.mark.parametrize(
    "default",
    [
        "a(b", "a*b+", "[x]{2}", "with blanks in it", "http://host:80/p?q=1&r=2", "c:\\dir\\new",
        "^$.|?", "a:b:c", "\\1", "\\g<0>", "a, b", "#x", "ünï", "a'b",
    ],
)  # fmt: skip
@pytest.mark.parametrize("folder", ["py", "yaml", "json"], indirect=True)
def test_a_default_may_hold_any_character(folder: Any, default: str) -> None:
    path = folder.write("a", "n", f"{{{{$TKC_N:{default}}}}}")

    assert Config.fromfile(path).n == default


@pytest.mark.parametrize("value", ["c:\\new\\1", "a(b*", "{{x}}", "\\g<1>", "'quoted'\"", "'); x"])
def test_a_value_may_hold_any_character_and_is_never_source(
    write: Any, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TKC_N", value)
    path = write(a_py="a = '{{$TKC_N:x}}'\nb = {{$TKC_N:x}}\n")

    assert Config.fromfile(path) == {"a": value, "b": value}


def test_set_but_empty_counts_as_set(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TKC_N", "")

    assert Config.fromfile(write(a_py="a = '{{$TKC_N:x}}'\nb = {{$TKC_N:5}}\n")) == {
        "a": "",
        "b": "",
    }


def test_a_variable_that_is_not_set_and_has_no_default_names_the_place(folder: Any) -> None:
    for form in ("{{$TKC_N}}", "{{$TKC_N:}}"):
        path = folder.write("a", "n", f'"{form}"')

        with pytest.raises(
            EnvironmentKeyError, match=rf"a\.{folder.suffix}:1: .*'TKC_N' is not set.*:default"
        ):
            Config.fromfile(path)


def test_environment_variables_can_be_left_alone(write: Any) -> None:
    path = write(a_py="a = '{{$TKC_N:x}}'\nb = {{$TKC_N:5}}\n")

    cfg = Config.fromfile(path, use_environment_variables=False)

    assert cfg == {"a": "{{$TKC_N:x}}", "b": "{{$TKC_N:5}}"}


def test_a_bare_environment_variable_is_typed_without_a_flag(write: Any) -> None:
    assert Config.fromfile(write(a_py="n = {{$TKC_MY_N:5}}\n")).n == 5


UNCLOSED = {
    "braces": "{{$A:" + "{}" * 50_000,
    "templates": "{{$A:" * 50_000,
    "blanks": "{{" + " " * 100_000,
    "blanks after a name": "{{$A" + " " * 100_000,
    "blanks in a default": "{{$A:x" + " " * 100_000,
    "quotes": "{{'$A:" + "' " * 50_000,
    "a path": "{{_base_" + ".a" * 50_000,
}


@pytest.mark.parametrize("text", UNCLOSED.values(), ids=UNCLOSED)
def test_a_template_that_is_never_closed_is_text_and_costs_little(text: str) -> None:
    assert Config.fromstring(f"a: {text!r}", ".yaml").a == text.replace("''", "'")


def test_values_of_bases_are_paid_for_when_read_as_data(write: Any) -> None:
    write(base_yaml="x: [" + "1, " * 2000 + "1]\n")
    path = write(a_yaml="_base_: base.yaml\ny: '" + "{{_base_.x}} " * 5000 + "'\n")

    with pytest.raises(UnsafeConfigError, match=r"a\.yaml: it needs more than"):
        Config.fromfile(path, trusted=False)


def test_a_text_that_looks_like_a_token_of_ours_is_a_text() -> None:
    cfg = Config.fromstring("a: __tk_template_9__\nb: {{$TKC_N:7}}\n", ".yaml")

    assert cfg == {"a": "__tk_template_9__", "b": 7}
