from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigParsingError,
    CustomImportError,
    MissingBaseError,
    UnsafeConfigError,
)


def read(text: str) -> Config:
    return Config.fromstring(text, ".py")


def test_what_a_config_dumps_can_be_read_as_data() -> None:
    cfg = Config({"a": {"b": [1, (2,), float("inf")], "c d": None}, "p": Path("x"), "e-f": {1, 2}})

    assert read(str(cfg.dump())) == cfg


def test_custom_imports_are_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tkc_evil.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "a.py"
    path.write_text("custom_imports = dict(imports=['tkc_evil'])\n")

    assert Config.fromfile(path, trusted=False).custom_imports.imports == ["tkc_evil"]


def test_fromstring_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for text in ("a = 1", "a = ("):
        try:
            read(text)
        except ConfigParsingError:
            pass

    assert list(tmp_path.iterdir()) == []


def test_trusted_text_may_hold_any_python() -> None:
    cfg = Config.fromstring("import math\na = (lambda x: x + 1)(1)\n", ".py", trusted=True)

    assert cfg.a == 2
    assert cfg.filename is None


def test_a_base_is_merged_under_its_heir(folder: Any) -> None:
    folder.write("base", "a", folder.dict(x="1", y="2"))
    path = folder.write("child", "a", folder.dict(y="3"), folder.base("base"))

    assert Config.fromfile(path) == {"a": {"x": 1, "y": 3}}


def test_the_delete_marker_replaces_the_base(folder: Any) -> None:
    folder.write("base", "a", folder.dict(x="1"))
    value = folder.dict(_delete_=folder.true, y="2")
    path = folder.write("child", "a", value, folder.base("base"))

    assert Config.fromfile(path) == {"a": {"y": 2}}


def test_any_format_inherits_from_any_other(folder: Any, other_folder: Any) -> None:
    other_folder.write("base", "a", "1")
    path = folder.write("child", "b", "2", f'"./base.{other_folder.suffix}"')

    assert Config.fromfile(path) == {"a": 1, "b": 2}


def test_a_missing_base_says_who_asked_and_where_it_was_looked_for(folder: Any) -> None:
    folder.write("base", "a", "1")
    path = folder.write("child", "b", "2", folder.base("basse"))

    with pytest.raises(
        MissingBaseError, match=rf"child\.{folder.suffix}.*basse.*looked for /.*did you mean 'base"
    ):
        Config.fromfile(path)


def test_a_cycle_of_bases_is_shown_as_a_chain(folder: Any) -> None:
    folder.write("a", "x", "1", folder.base("b"))
    folder.write("b", "x", "1", folder.base("c"))
    folder.write("c", "x", "1", folder.base("a"))

    s = folder.suffix
    with pytest.raises(ConfigParsingError, match=rf"a\.{s} -> .*b\.{s} -> .*c\.{s} -> .*a\.{s};"):
        Config.fromfile(folder.path / f"a.{s}")


def test_a_base_that_is_no_path_is_an_error(folder: Any) -> None:
    path = folder.write("child", "b", "2", "5")

    with pytest.raises(ConfigParsingError, match="a path or a list of paths, but holds 5"):
        Config.fromfile(path)


def test_a_failed_custom_import_is_an_error_or_a_warning(write: Any) -> None:
    path = write(a_py="custom_imports = dict(imports=['no_such_mod_x'])\n")
    with pytest.raises(CustomImportError, match=r"'no_such_mod_x'.*searched.*PYTHONPATH"):
        Config.fromfile(path)

    path = write(a_py="custom_imports = dict(imports='no_such_mod_x', allow_failed_imports=True)\n")
    with pytest.warns(UserWarning, match="no_such_mod_x"):
        Config.fromfile(path)


def test_text_is_every_file_by_name_bases_first(write: Any) -> None:
    base = write(base_py="a = 1\n")
    child = write(child_py="_base_ = './base.py'\n")

    assert Config.fromfile(child).text == f"{base}\na = 1\n\n{child}\n_base_ = './base.py'\n"


def test_a_very_long_list_of_bases_is_not_read_as_data(write: Any) -> None:
    write(base_py="a = 1\n")
    path = write(c_py="_base_ = ['base.py'] * 100000\n")

    with pytest.raises(UnsafeConfigError, match=r"c\.py:1: more than 100 bases"):
        Config.fromfile(path, trusted=False)


def test_a_large_base_that_is_imported_again_and_again_is_not_read_as_data(write: Any) -> None:
    write(base_py="a = [" + "1, " * 20000 + "]\n")
    lines = "    from .base import a\n" * 200
    path = write(c_py="from tk_config import read_base\nwith read_base():\n" + lines)

    with pytest.raises(UnsafeConfigError, match=r"c\.py: it needs more than"):
        Config.fromfile(path, trusted=False)


def test_merging_over_deep_nesting_is_an_error_of_the_config(write: Any) -> None:
    deep = '{"a": ' * 900 + "1" + "}" * 900
    write(base_json=deep)
    path = write(c_json='{"_base_": "base.json", ' + deep[1:])

    with pytest.raises(ConfigParsingError, match="nested too deeply"):
        Config.fromfile(path, trusted=False)
