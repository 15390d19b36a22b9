"""Every key and syntax of the text dialect, in each format that can hold it."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigParsingError,
    ConfigSyntaxError,
    ConfigWarning,
    CustomImportError,
    DuplicateKeyError,
    EnvironmentKeyError,
    MissingBaseError,
    MissingKeyError,
)

FORMATS = ["py", "yaml", "json", "toml"]
each_format = pytest.mark.parametrize("suffix", FORMATS)

# The same file in each format: bases, and one line for each key.
WITH_BASE = {
    "py": "_base_ = {bases}\n{key} = {value}\n",
    "yaml": "_base_: {bases}\n{key}: {value}\n",
    "json": '{{"_base_": {bases}, "{key}": {value}}}',
    "toml": "_base_ = {bases}\n{key} = {value}\n",
}
ALONE = {
    "py": "{key} = {value}\n",
    "yaml": "{key}: {value}\n",
    "json": '{{"{key}": {value}}}',
    "toml": "{key} = {value}\n",
}
DICTS = {
    "py": "dict({})",
    "yaml": "{{{}}}",
    "json": "{{{}}}",
    "toml": "{{{}}}",
}
PAIRS = {"py": "{}={}", "yaml": "{}: {}", "json": '"{}": {}', "toml": "{}={}"}


class Folder:
    """Writes small configs of one format."""

    def __init__(self, path: Path, suffix: str) -> None:
        self.path = path
        self.suffix = suffix

    def write(self, name: str, key: str, value: str, bases: str | None = None) -> Path:
        form = ALONE if bases is None else WITH_BASE
        target = self.path / f"{name}.{self.suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        text = form[self.suffix].format(key=key, value=value, bases=bases)
        target.write_text(text, encoding="utf-8")
        return target

    def dict(self, **values: str) -> str:
        pair = PAIRS[self.suffix]
        return DICTS[self.suffix].format(", ".join(pair.format(*item) for item in values.items()))

    @property
    def true(self) -> str:
        return "True" if self.suffix == "py" else "true"

    def base(self, name: str) -> str:
        return f'"./{name}.{self.suffix}"'


@pytest.fixture
def folder(tmp_path: Path, suffix: str) -> Folder:
    return Folder(tmp_path, suffix)


# -- inheritance -------------------------------------------------------------------------


@each_format
def test_a_base_is_merged_under_its_heir(folder: Folder) -> None:
    folder.write("base", "a", folder.dict(x="1", y="2"))
    path = folder.write("child", "a", folder.dict(y="3"), folder.base("base"))

    assert Config.fromfile(path) == {"a": {"x": 1, "y": 3}}


@each_format
def test_several_bases_are_put_together(folder: Folder) -> None:
    folder.write("one", "a", "1")
    folder.write("two", "b", "2")
    path = folder.write("child", "c", "3", f"[{folder.base('one')}, {folder.base('two')}]")

    assert Config.fromfile(path) == {"a": 1, "b": 2, "c": 3}


@each_format
def test_bases_may_have_bases_three_deep(folder: Folder) -> None:
    folder.write("deep/er/c", "a", folder.dict(x="1", y="1", z="1"))
    folder.write("deep/b", "a", folder.dict(y="2", z="2"), folder.base("er/c"))
    folder.write("mid", "a", folder.dict(z="3"), folder.base("deep/b"))
    path = folder.write("child", "w", "4", folder.base("mid"))

    assert Config.fromfile(path) == {"a": {"x": 1, "y": 2, "z": 3}, "w": 4}


@each_format
def test_the_delete_marker_replaces_the_base(folder: Folder) -> None:
    folder.write("base", "a", folder.dict(x="1"))
    value = folder.dict(_delete_=folder.true, y="2")
    path = folder.write("child", "a", value, folder.base("base"))

    assert Config.fromfile(path) == {"a": {"y": 2}}


@pytest.mark.parametrize("child", FORMATS)
@pytest.mark.parametrize("base", FORMATS)
def test_any_format_inherits_from_any_other(tmp_path: Path, child: str, base: str) -> None:
    Folder(tmp_path, base).write("base", "a", "1")
    path = Folder(tmp_path, child).write("child", "b", "2", f'"./base.{base}"')

    assert Config.fromfile(path) == {"a": 1, "b": 2}


@each_format
def test_a_base_that_two_parents_share_is_no_error(folder: Folder) -> None:
    folder.write("grand", "a", folder.dict(x="1", y="1"))
    folder.write("left", "a", folder.dict(x="2"), folder.base("grand"))
    folder.write("right", "b", "3", folder.base("grand"))
    bases = f"[{folder.base('left')}, {folder.base('right')}]"
    path = folder.write("child", "c", "4", bases)
    turned = folder.write("turned", "c", "4", f"[{folder.base('right')}, {folder.base('left')}]")

    assert Config.fromfile(path) == {"a": {"x": 2, "y": 1}, "b": 3, "c": 4}
    assert Config.fromfile(turned) == Config.fromfile(path)


@each_format
def test_two_parents_that_change_the_shared_base_differently_conflict(folder: Folder) -> None:
    folder.write("grand", "a", folder.dict(x="1"))
    folder.write("left", "a", folder.dict(x="2"), folder.base("grand"))
    folder.write("right", "a", folder.dict(x="3"), folder.base("grand"))
    path = folder.write("child", "c", "4", f"[{folder.base('left')}, {folder.base('right')}]")

    with pytest.raises(DuplicateKeyError, match=r"two bases set 'a': .*left.* and .*right"):
        Config.fromfile(path)


@each_format
def test_a_key_that_two_bases_set_names_both_files(folder: Folder) -> None:
    folder.write("one", "a", "1")
    folder.write("two", "a", "1")
    path = folder.write("child", "c", "3", f"[{folder.base('one')}, {folder.base('two')}]")

    with pytest.raises(
        DuplicateKeyError, match=rf"one\.{folder.suffix}:1 and .*two\.{folder.suffix}:1"
    ):
        Config.fromfile(path)


@each_format
def test_a_missing_base_says_who_asked_and_where_it_was_looked_for(folder: Folder) -> None:
    folder.write("base", "a", "1")
    path = folder.write("child", "b", "2", folder.base("basse"))

    with pytest.raises(
        MissingBaseError, match=rf"child\.{folder.suffix}.*basse.*looked for /.*did you mean 'base"
    ):
        Config.fromfile(path)


@each_format
def test_a_cycle_of_bases_is_shown_as_a_chain(folder: Folder) -> None:
    folder.write("a", "x", "1", folder.base("b"))
    folder.write("b", "x", "1", folder.base("c"))
    folder.write("c", "x", "1", folder.base("a"))

    s = folder.suffix
    with pytest.raises(ConfigParsingError, match=rf"a\.{s} -> .*b\.{s} -> .*c\.{s} -> .*a\.{s};"):
        Config.fromfile(folder.path / f"a.{s}")


@each_format
def test_a_base_that_is_no_path_is_an_error(folder: Folder) -> None:
    path = folder.write("child", "b", "2", "5")

    with pytest.raises(ConfigParsingError, match="a path or a list of paths, but holds 5"):
        Config.fromfile(path)


# -- base variables ----------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["py", "yaml", "json"])
def test_a_bare_base_variable_is_the_value_itself(folder: Folder) -> None:
    folder.write("base", "a", folder.dict(x="5", y="[1, 2]"))
    value = folder.dict(p="{{_base_.a.x}}", q="[{{ _base_.a.y }}, 7]")
    path = folder.write("child", "b", value, folder.base("base"))

    assert Config.fromfile(path).b == {"p": 5, "q": [[1, 2], 7]}


@each_format
def test_a_base_variable_within_quotes_is_the_value_when_it_stands_alone(folder: Folder) -> None:
    folder.write("base", "a", folder.dict(x="5"))
    value = folder.dict(p='"{{_base_.a.x}}"', q='"n={{_base_.a.x}}"')
    path = folder.write("child", "b", value, folder.base("base"))

    assert Config.fromfile(path).b == {"p": 5, "q": "n=5"}


@pytest.mark.parametrize("suffix", ["py", "yaml", "json"])
def test_an_unknown_base_variable_names_file_and_nearest_key(folder: Folder) -> None:
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


# -- predefined variables ----------------------------------------------------------------


@each_format
def test_predefined_variables_are_those_of_their_own_file(folder: Folder) -> None:
    text = '"{{fileDirname}}|{{ fileBasename }}|{{fileBasenameNoExtension}}|{{fileExtname}}"'
    folder.write("sub/base", "a", text)
    path = folder.write("child", "b", text, folder.base("sub/base"))

    cfg = Config.fromfile(path)

    here, s = folder.path.as_posix(), folder.suffix
    assert cfg.a == f"{here}/sub|base.{s}|base|.{s}"
    assert cfg.b == f"{here}|child.{s}|child|.{s}"


@each_format
def test_the_path_of_a_base_may_hold_predefined_variables(folder: Folder) -> None:
    folder.write("sub/base", "a", "1")
    path = folder.write("child", "b", "2", f'["{{{{fileDirname}}}}/sub/base.{folder.suffix}"]')

    assert Config.fromfile(path) == {"a": 1, "b": 2}


@each_format
def test_predefined_variables_can_be_left_alone(folder: Folder) -> None:
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


# -- environment variables ---------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["py", "yaml", "json"])
@pytest.mark.parametrize("form", ["{{$TKC_N:5}}", "{{'$TKC_N:5'}}", '{{"$TKC_N:5"}}'])
def test_a_bare_environment_variable_is_typed(
    folder: Folder, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder.write("a", "n", form)
    assert Config.fromfile(path).n == 5

    monkeypatch.setenv("TKC_N", "0.5")
    cfg = Config.fromfile(path)

    assert cfg.n == 0.5
    assert cfg.env_variables == {"TKC_N": "0.5"}


@each_format
def test_an_environment_variable_within_quotes_is_text(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
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
@pytest.mark.parametrize("suffix", ["py", "yaml", "json"])
def test_a_default_may_hold_any_character(folder: Folder, default: str) -> None:
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


@each_format
def test_a_variable_that_is_not_set_and_has_no_default_names_the_place(folder: Folder) -> None:
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


# -- other keys --------------------------------------------------------------------------


@each_format
def test_deprecation_warns_for_the_file_and_for_its_heirs(folder: Folder) -> None:
    value = folder.dict(expected='"new.py"', reference='"http://x"')
    base = folder.write("old", "_deprecation_", value)
    child = folder.write("child", "a", "1", folder.base("old"))

    for path in (base, child):
        with pytest.warns(
            DeprecationWarning, match=rf"old\.{folder.suffix} is deprecated; use new\.py.*http://x"
        ):
            cfg = Config.fromfile(path)
        assert "_deprecation_" not in cfg


@each_format
def test_custom_imports_are_made_when_the_file_is_trusted(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.path / f"tkc_mod_{folder.suffix}.py").write_text("import os\nos.environ['TKC_DID']='1'")
    monkeypatch.syspath_prepend(str(folder.path))
    monkeypatch.setenv("TKC_DID", "0")
    path = folder.write("a", "custom_imports", folder.dict(imports=f'"tkc_mod_{folder.suffix}"'))

    Config.fromfile(path, import_custom_modules=False)
    assert os.environ["TKC_DID"] == "0"
    Config.fromfile(path)
    assert os.environ["TKC_DID"] == "1"


def test_a_failed_custom_import_is_an_error_or_a_warning(write: Any) -> None:
    path = write(a_py="custom_imports = dict(imports=['no_such_mod_x'])\n")
    with pytest.raises(CustomImportError, match=r"'no_such_mod_x'.*searched.*PYTHONPATH"):
        Config.fromfile(path)

    path = write(a_py="custom_imports = dict(imports='no_such_mod_x', allow_failed_imports=True)\n")
    with pytest.warns(UserWarning, match="no_such_mod_x"):
        Config.fromfile(path)


def test_custom_imports_in_another_form_are_an_error(write: Any) -> None:
    with pytest.raises(TypeError, match=r"must be dict\(imports="):
        Config.fromfile(write(a_py="custom_imports = ['os']\n"))


@each_format
@pytest.mark.parametrize("key", ["filename", "text", "pretty_text", "env_variables"])
def test_a_reserved_key_in_a_file_is_refused(folder: Folder, key: str) -> None:
    with pytest.raises(KeyError, match="reserved"):
        Config.fromfile(folder.write("a", key, "1"))


def test_dunder_names_functions_and_modules_are_no_keys(write: Any) -> None:
    path = write(
        a_py="""
        import os, math
        from collections import OrderedDict
        def helper(n):
            return dict(n=n)
        class Local:
            pass
        __hidden__ = 1
        _shown_ = 2
        a = helper(3)
        b = OrderedDict(c=os.sep)
        d = dict(f=lambda x: x, c=Local)
        """
    )

    cfg = Config.fromfile(path)

    assert sorted(cfg) == ["_shown_", "a", "b", "d"]
    assert cfg.b == {"c": os.sep}
    assert cfg.d.f(4) == 4


def test_any_python_may_run_in_a_trusted_file(write: Any) -> None:
    path = write(
        a_py="""
        with open(__file__) as f:
            length = len(f.read())
        try:
            x = 1 / 0
        except ZeroDivisionError:
            x = 5
        while x < 7:
            x += 1
        if x == 7:
            y = {i: dict(v=i) for i in range(2)}
        """
    )

    cfg = Config.fromfile(path)

    assert cfg.x == 7
    assert cfg.y[1].v == 1


# -- errors ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suffix", "text", "line"),
    [
        ("py", "a = 1\nb = (\n", 2),
        ("py", "a = {{$X:1}}\nb = = 2\n", 2),
        ("json", '{"a": 1,\n "b": }', 2),
        ("yaml", "a: 1\nb: [1\nc: 2", 3),
        ("toml", "a = 1\nb = \n", 2),
    ],
)
def test_a_syntax_error_names_the_real_file_and_line(
    tmp_path: Path, suffix: str, text: str, line: int
) -> None:
    path = tmp_path / f"bad.{suffix}"
    path.write_text(text)

    with pytest.raises(ConfigSyntaxError, match=rf"bad\.{suffix}:{line}:(\d+:)? "):
        Config.fromfile(path)


def test_a_syntax_error_in_a_base_names_the_base(write: Any) -> None:
    write(base_py="x = (")
    with pytest.raises(SyntaxError, match=r"base\.py:1: "):
        Config.fromfile(write(child_py="_base_ = './base.py'\n"))


def test_an_error_of_the_code_keeps_its_type_and_its_line(write: Any) -> None:
    path = write(a_py="a = 1\nb = a.nothing\n")

    with pytest.raises(AttributeError) as caught:
        Config.fromfile(path)

    assert (str(path), 2) in [
        (entry.path.__str__(), entry.lineno + 1) for entry in caught.traceback
    ]


def test_a_list_at_the_top_of_a_data_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("- 1\n- 2\n")

    with pytest.raises(ConfigParsingError, match="holds a list"):
        Config.fromfile(path)


def test_an_empty_data_file_is_an_empty_config(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("# nothing\n")

    assert Config.fromfile(path) == {}


def test_a_dict_that_holds_itself_is_an_error(write: Any) -> None:
    with pytest.raises(ConfigParsingError, match="holds itself"):
        Config.fromfile(write(a_py="a = dict()\na['a'] = a\n"))


@each_format
def test_a_misspelt_key_of_an_heir_is_reported_with_both_places(folder: Folder) -> None:
    folder.write("base", "model", folder.dict(backbone=folder.dict(depth="50")))
    value = folder.dict(backbone=folder.dict(detph="18"))
    path = folder.write("child", "model", value, folder.base("base"))

    s = folder.suffix
    said = (
        rf"child\.{s}:\d: 'model\.backbone\.detph' is new.*'depth' \(.*base\.{s}:1\).*did you mean"
    )
    with pytest.warns(ConfigWarning, match=said):
        Config.fromfile(path)
    with pytest.raises(KeyError, match=said):
        Config.fromfile(path, strict=True)


def test_new_keys_that_are_no_mistakes_are_accepted_in_strict_mode(write: Any) -> None:
    write(base_py="conv1 = dict(k=1)\ntrain_cfg = dict(a=1)\n")
    path = write(child_py="_base_ = './base.py'\nconv2 = dict(k=2)\nval_cfg = dict(a=1)\n")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Config.fromfile(path, strict=True).conv2.k == 2


def test_text_is_every_file_by_name_bases_first(write: Any) -> None:
    base = write(base_py="a = 1\n")
    child = write(child_py="_base_ = './base.py'\n")

    assert Config.fromfile(child).text == f"{base}\na = 1\n\n{child}\n_base_ = './base.py'\n"
