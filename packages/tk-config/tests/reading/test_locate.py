from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigParsingError,
    MissingBaseError,
    MissingPackageError,
    UnsafeConfigError,
)

Package = Callable[..., Path]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """Make a package that can be found, with files by path; it must never be imported."""
    root = tmp_path / "site" / "tkc_zoo"
    root.mkdir(parents=True)
    (root / "__init__.py").write_text("raise RuntimeError('the package was imported')\n")
    monkeypatch.syspath_prepend(str(root.parent))

    def add(files: dict[str, str]) -> Path:
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return root

    return add


def test_a_file_may_inherit_from_below_its_own_folder(write: Any) -> None:
    write(sub__base_py="a = dict(x=1, y=[1, 2])\nz = 3\n")
    path = write(
        child_py="_base_ = ['./sub/base.py']\na = dict(w=_base_.z + {{_base_.z}})\n"
        "b = _base_.a.y[0]\n_base_.a.update(v=5)\n"
    )

    assert Config.fromfile(path, trusted=False) == Config.fromfile(path)
    assert Config.fromfile(path, trusted=False).a == {"x": 1, "y": [1, 2], "w": 6, "v": 5}


@pytest.mark.parametrize(
    "name", ["../out.py", "{root}/out.py", "./in/../../out.py", "link.py", "dir/out.py"]
)
def test_no_base_outside_the_folder_is_read(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "conf"
    (folder / "in").mkdir(parents=True)
    (tmp_path / "out.py").write_text("a = 1\n")
    (folder / "link.py").symlink_to(tmp_path / "out.py")
    (folder / "dir").symlink_to(tmp_path)
    for child in ("_base_ = {!r}\n", "_base_ = [{!r}]\n"):
        path = folder / "child.py"
        path.write_text(child.format(name.format(root=tmp_path)))

        with pytest.raises(
            UnsafeConfigError, match=r"child\.py:1: .*only from files below .*conf, .*out\.py"
        ):
            Config.fromfile(path, trusted=False)
        assert Config.fromfile(path).a == 1


def test_a_base_reads_only_below_the_root_of_the_first_file(write: Any) -> None:
    write(top_py="a = 1\n")
    write(sub__base_py="_base_ = '../top.py'\n")
    write(sub__deep__base_py="_base_ = '../../top.py'\n")
    inner, outer = (
        write(sub__deep__child_py="_base_ = './base.py'\n"),
        write(child_py="_base_ = './sub/base.py'\n"),
    )

    assert Config.fromfile(outer, trusted=False) == {"a": 1}
    with pytest.raises(UnsafeConfigError, match=r"base\.py:1: "):
        Config.fromfile(inner, trusted=False)


def test_relative_imports_above_the_folder_are_refused(write: Any) -> None:
    write(up_py="a = 1\n")
    text = "from tk_config import read_base\nwith read_base():\n    from ..up import *\n"
    path = write(sub__child_py=text)

    with pytest.raises(UnsafeConfigError, match=r"child\.py:3: "):
        Config.fromfile(path, trusted=False)


def test_a_base_given_by_a_package_is_refused(write: Any) -> None:
    with pytest.raises(
        UnsafeConfigError, match=r"a\.py:1: .*only from its own package, not from 'yaml'"
    ):
        Config.fromfile(write(a_py="_base_ = 'yaml::a/b.py'\n"), trusted=False)


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("_base_: ./a.yaml", ".yaml"),
        ('{"_base_": "/etc/hostname.json"}', ".json"),
        ('_base_ = "a.toml"', ".toml"),
    ],
)
def test_data_text_reads_no_base_either(text: str, suffix: str) -> None:
    with pytest.raises(UnsafeConfigError, match="inherits from no file"):
        Config.fromstring(text, suffix)


def test_no_table_of_packages_is_needed(
    write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "tkc_any"
    (package / "configs" / "n").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "configs" / "n" / "a.py").write_text("a = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert Config.fromfile(write(c_py="_base_ = 'tkc_any::n/a.py'\n")).a == 1


@pytest.mark.parametrize("place", [".mim/configs/", ".mim/", "configs/", ""])
def test_a_package_may_ship_its_configs_in_any_usual_place(
    package: Package, write: Any, place: str
) -> None:
    package({f"{place}nets/base.py": "model = dict(type='Net', head=dict(type='Head'))\n"})
    path = write(child_py="_base_ = 'tkc_zoo::nets/base.py'\nmodel = dict(depth=5)\n")

    cfg = Config.fromfile(path)

    assert cfg.model == {"type": "Net", "head": {"type": "Head"}, "_scope_": "tkc_zoo", "depth": 5}
    assert "tkc_zoo" not in sys.modules


def test_the_scope_is_set_on_the_outermost_dicts_with_a_type(package: Package, write: Any) -> None:
    package({"configs/n/a.py": "a = dict(b=[dict(type='X', c=dict(type='Y'))])\nd = dict(e=1)\n"})
    cfg = Config.fromfile(write(child_py="_base_ = 'tkc_zoo::n/a.py'\n"))

    assert cfg == {
        "a": {"b": [{"type": "X", "c": {"type": "Y"}, "_scope_": "tkc_zoo"}]},
        "d": {"e": 1},
    }


def test_a_shipped_config_may_have_bases_of_its_own(package: Package, write: Any) -> None:
    package({"configs/n/a.py": "_base_ = '../b.py'\n", "configs/b.py": "x = 1\n"})

    assert Config.fromfile(write(child_py="_base_ = ['tkc_zoo::n/a.py']\n")).x == 1


def test_a_model_is_found_by_the_name_in_the_index(package: Package, write: Any) -> None:
    package(
        {
            "model-index.yml": "Import:\n  - empty.yml\n  - missing.yml\n  - nets/meta.yml\n",
            "empty.yml": "Collections:\n  - Name: nothing here\n",
            "nets/meta.yml": "Models:\n  - Name: net-50\n    Config: configs/special/n50.py\n",
            "configs/special/n50.py": "x = 50\n",
        }
    )

    assert Config.fromfile(write(child_py="_base_ = 'tkc_zoo::nets/net-50.py'\n")).x == 50


def test_a_package_that_is_not_installed_says_how_to_get_it(write: Any) -> None:
    path = write(child_py="a = 1\n_base_ = 'tkc_none::a/b.py'\n")

    with pytest.raises(
        MissingPackageError, match=r"child\.py:2: .*'tkc_none'.*pip install tkc_none"
    ):
        Config.fromfile(path)


def test_a_config_that_the_package_lacks_lists_where_it_was_looked_for(
    package: Package, write: Any
) -> None:
    package({})
    path = write(child_py="_base_ = 'tkc_zoo::a/b.py'\n")

    with pytest.raises(
        MissingBaseError, match=r"no config 'a/b\.py'; looked for .*configs/a/b\.py"
    ):
        Config.fromfile(path)


def test_a_file_right_in_the_configs_of_a_package_is_found(package: Package, write: Any) -> None:
    package({"configs/b.py": "a = 1\n"})

    assert Config.fromfile(write(child_py="_base_ = ['tkc_zoo::b.py']\n")).a == 1


@pytest.mark.parametrize("name", ["tkc_zoo::../b.py", "a::b::c/d.py", "::a/b.py", "tkc_zoo::"])
def test_a_package_path_in_another_form_is_an_error(write: Any, name: str) -> None:
    with pytest.raises(ConfigParsingError, match="write it as package::folder/file"):
        Config.fromfile(write(child_py=f"_base_ = {name!r}\n"))


def test_a_distribution_is_found_by_its_own_name_as_well(write: Any) -> None:
    path = write(child_py="_base_ = 'PyYAML::a/b.py'\n")

    with pytest.raises(MissingBaseError, match=r"'PyYAML' has no config.*yaml/configs/a/b\.py"):
        Config.fromfile(path)


def test_an_absolute_import_of_a_missing_config_lists_the_places(
    package: Package, write: Any
) -> None:
    package({})
    text = "from tk_config import read_base\nwith read_base():\n    from tkc_zoo.a.b import x\n"

    with pytest.raises(MissingBaseError, match=r"'tkc_zoo\.a\.b'; looked for .*a/b\.py"):
        Config.fromfile(write(child_py=text))


def test_a_folder_with_a_dot_on_the_path_is_no_obstacle(tmp_path: Path) -> None:
    folder = tmp_path / "v1.2" / "x.y"
    folder.mkdir(parents=True)
    (folder / "b.py").write_text("a = 1\n")
    (folder / "c.py").write_text("_base_ = './b.py'\n")

    assert Config.fromfile(folder / "c.py").a == 1


def test_a_link_and_dots_lead_where_the_system_leads(tmp_path: Path) -> None:
    folder = tmp_path / "cfg"
    (folder / "sub/deep").mkdir(parents=True)
    (folder / "link").symlink_to("sub/deep")
    (tmp_path / "secret.json").write_text('{"password": 1}')
    (folder / "evil.json").symlink_to("../secret.json")
    (folder / "sub/evil.json").write_text('{"a": 1}')
    path = folder / "c.py"
    path.write_text("_base_ = 'link/../evil.json'\n")

    assert Config.fromfile(path, trusted=False) == Config.fromfile(path) == {"a": 1}


def test_a_package_named_like_the_folder_is_not_read_as_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "tkc_pack" / "data"
    package.mkdir(parents=True)
    (package / "y.py").write_text("stolen = 1\n")
    (package.parent / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    folder = tmp_path / "tkc_pack.data"
    folder.mkdir()
    path = folder / "c.py"
    path.write_text(
        "from tk_config import read_base\nwith read_base():\n    from tkc_pack.data.y import *\n"
    )

    assert Config.fromfile(path).stolen == 1
    with pytest.raises(UnsafeConfigError, match=r"c\.py:3: .*only from its own package"):
        Config.fromfile(path, trusted=False)


@pytest.mark.parametrize(
    ("marks", "root"),
    [
        (["a/configs/b/configs/c/"], "a/configs"),
        (["a/__init__.py", "a/b/__init__.py", "a/b/c/__init__.py"], "a"),
        (["a/.git/", "a/b/c/"], "a"),
        (["a/b/c/"], "a/b/c"),
    ],
    ids=["configs", "package", "working copy", "own folder"],
)
def test_the_root_of_data_is_found(tmp_path: Path, marks: list[str], root: str) -> None:
    for mark in marks:
        (tmp_path / mark).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / mark).mkdir(exist_ok=True) if mark.endswith("/") else (tmp_path / mark).touch()
    folder = tmp_path / (marks[-1] if marks[-1].endswith("/") else marks[-1].rpartition("/")[0])
    outer = tmp_path / root / "base.py"
    outer.write_text("a = 1\n")
    (tmp_path / root).parent.joinpath("beyond.py").write_text("a = 2\n")
    up = "../" * len(folder.relative_to(tmp_path / root).parts)
    (folder / "in.py").write_text(f"_base_ = '{up}base.py'\n")
    (folder / "out.py").write_text(f"_base_ = '{up}../beyond.py'\n")

    assert Config.fromfile(folder / "in.py", trusted=False) == {"a": 1}
    with pytest.raises(UnsafeConfigError, match="only from files below"):
        Config.fromfile(folder / "out.py", trusted=False)
    assert Config.fromfile(folder / "out.py", trusted=False, root=tmp_path) == {"a": 2}


def test_a_package_inherits_its_own_configs_as_data(tmp_path: Path) -> None:
    configs = tmp_path / "tkc_own" / "configs"
    configs.mkdir(parents=True)
    (tmp_path / "tkc_own" / "__init__.py").write_text("raise RuntimeError('it was imported')\n")
    (configs / "base.py").write_text("a = 1\n")
    path = configs / "c.py"
    head = "from tk_config import read_base\nwith read_base():\n"
    path.write_text(head + "    from tkc_own.configs.base import *\n")

    assert Config.fromfile(path, trusted=False) == {"a": 1}


def test_a_package_names_its_own_configs_by_its_name_as_data(tmp_path: Path) -> None:
    configs = tmp_path / "tkc_own" / ".mim" / "configs"
    (configs / "nets").mkdir(parents=True)
    (tmp_path / "tkc_own" / "__init__.py").write_text("raise RuntimeError('it was imported')\n")
    (configs / "base.py").write_text("m = dict(type='Net')\n")
    path = configs / "nets" / "c.py"
    path.write_text("_base_ = 'tkc_own::base.py'\n")

    assert Config.fromfile(path, trusted=False) == {"m": {"type": "Net", "_scope_": "tkc_own"}}
