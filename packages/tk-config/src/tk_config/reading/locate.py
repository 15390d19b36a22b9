"""Where a base config lies: a path near its heir, or a config shipped in a package.

No table of packages: whatever is installed and ships configs can be inherited from, by
its import name or its distribution's name.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import ConfigParsingError, MissingBaseError, MissingPackageError, UnsafeConfigError
from ..tree.suggestions import suggestion

_FOLDERS = (".mim/configs", ".mim", "configs", "")
_INDEXES = (".mim/model-index.yml", "model-index.yml")


def split_package_path(path: str, place: str) -> tuple[str, str]:
    """Split ``package::folder/file.py``.

    Raises:
        ConfigParsingError: it does not have that form, or leads out of the package.
    """
    package, _, inner = path.partition("::")
    parts = inner.split("/")
    if not package or "::" in inner or not parts[-1] or ".." in parts or inner.startswith("/"):
        raise ConfigParsingError(
            f"{place}: {path!r} does not name a config of a package; "
            "write it as package::folder/file.py"
        )
    return package, inner


def find_in_package(path: str, place: str, root: Path | None = None) -> Path:
    """Find the file that ``package::folder/file.py`` means.

    Args:
        path: the package's import or distribution name, and a path among its configs or
            a name in its ``model-index.yml``.
        place: ``"file:line"`` that asks, for errors.
        root: folder of the package; None looks for it among what is installed.

    Raises:
        MissingPackageError: the package is not installed.
        MissingBaseError: it holds no such config; lists where it was looked for.
    """
    package, inner = split_package_path(path, place)
    root = root or package_folder(package, place)
    tried = [root / folder / inner for folder in _FOLDERS]
    for candidate in tried:
        if candidate.is_file():
            return candidate
    named = _by_model_name(root, inner)
    if named is not None:
        return named
    raise MissingBaseError(
        f"{place}: the package {package!r} has no config {inner!r}; looked for "
        + ", ".join(map(str, tried))
        + " and for a model of that name in its model-index.yml"
    )


def package_folder(package: str, place: str) -> Path:
    """Give the folder of an installed package, without importing it.

    Raises:
        MissingPackageError: there is none of that import or distribution name.
    """
    names = [package.replace("-", "_")] if package.replace("-", "_").isidentifier() else []
    for name in (*names, *_import_names(package)):
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            continue
        if spec is not None and spec.submodule_search_locations:
            return Path(next(iter(spec.submodule_search_locations)))
    raise MissingPackageError(
        f"{place}: the package {package!r} is not installed, so its configs cannot be inherited; "
        f"run: pip install {package}"
    )


def find_module(module: str, root: Path, place: str) -> Path:
    """Find the config file that an absolute import under ``read_base`` means.

    Args:
        module: dotted name; its first word is the package.
        root: folder of the package.
        place: ``"file:line"`` that asks, for errors.

    Raises:
        MissingBaseError: there is no such file.
    """
    package, _, rest = module.partition(".")
    inner = rest.replace(".", "/") + ".py"
    tried = [root / inner, root / ".mim" / inner]
    for candidate in tried:
        if candidate.is_file():
            return candidate
    raise MissingBaseError(
        f"{place}: the package {package!r} has no config {module!r}; looked for "
        + ", ".join(map(str, tried))
    )


def find_beside(path: str, heir: str, place: str) -> str:
    """Give the absolute path of a base that is named relative to the file inheriting it.

    Raises:
        MissingBaseError: there is no such file; says who asked and where it was looked for.
    """
    # the plain functions are several times faster than pathlib
    named = os.path.join(os.path.dirname(heir), path)  # noqa: PTH118, PTH120
    if os.path.isfile(named):  # noqa: PTH113
        short = os.path.normpath(named)
        # ``link/../x`` is a file beside the link's target, which the shorter name misses
        same = os.path.exists(short) and os.path.samefile(short, named)  # noqa: PTH110, PTH121
        return short if same else os.path.realpath(named)
    wanted = Path(os.path.normpath(named))
    parent = wanted.parent
    siblings = sorted(entry.name for entry in parent.iterdir()) if parent.is_dir() else []
    advice = suggestion(wanted.name, siblings, "correct the path, which is relative to that file")
    raise MissingBaseError(
        f"{place}: the base {path!r} does not exist; looked for {wanted}; {advice}"
    )


def root_for(path: str) -> Path:
    """Give the folder in which the bases of a config that is read as data must lie.

    That is the outermost folder called ``configs`` around it, else its package, else its
    working copy (the folder with ``.git``), else its own folder; links are followed.
    """
    folders = [*Path(path).resolve().parents]
    configs = [folder for folder in folders if folder.name == "configs"]
    if configs:
        return configs[-1]
    package = None
    for folder in folders:
        if not (folder / "__init__.py").is_file():
            break
        package = folder
    if package is not None:
        return package
    copies = (folder for folder in folders if (folder / ".git").exists())
    return next(copies, folders[0])


def inside(root: Path, path: str | Path, name: str, place: str) -> str:
    """Give the real path of a base, which is the one to open.

    Args:
        root: folder in which it must lie.
        path: where it was found.
        name: how the config names it, for errors.
        place: ``"file:line"`` that asks, for errors.

    Raises:
        UnsafeConfigError: it lies elsewhere, links followed.
    """
    real = Path(path).resolve()
    if not real.is_relative_to(root.resolve()):
        raise UnsafeConfigError(
            f"{place}: a config that is read as data inherits only from files below {root}, "
            f"and {name!r} leads to {real}; copy the base there, name another root, or load the "
            "file with trusted=True if you trust it"
        )
    return str(real)


def package_around(path: str, package: str, place: str) -> Path:
    """Give the folder of the package in which a config lies, without looking anywhere else.

    Raises:
        UnsafeConfigError: the config is not part of a package of that name.
    """
    for folder in Path(path).resolve().parents:
        if folder.name == package and (folder / "__init__.py").is_file():
            return folder
    raise UnsafeConfigError(
        f"{place}: a config that is read as data inherits only from its own package, not from "
        f"{package!r}; load the file with trusted=True if you trust it"
    )


def no_bases_as_data(place: str, name: str) -> UnsafeConfigError:
    """Build the error for a base that data may not name."""
    return UnsafeConfigError(
        f"{place}: a text that is read as data inherits from no file, but names {name!r}; "
        "merge the base yourself, or load a file that you trust with trusted=True"
    )


def _import_names(distribution: str) -> Iterator[str]:
    try:
        listed = importlib.metadata.distribution(distribution).read_text("top_level.txt")
    except importlib.metadata.PackageNotFoundError:
        return
    if listed:
        yield from listed.split()
        return
    wanted = distribution.lower().replace("_", "-")
    for name, owners in importlib.metadata.packages_distributions().items():
        if any(owner.lower().replace("_", "-") == wanted for owner in owners):
            yield name


def _by_model_name(root: Path, inner: str) -> Path | None:
    """Find a config by the name of a model that the package's index lists."""
    name = inner.rpartition("/")[2]
    stem = name.removesuffix(".py")
    for index in map(root.joinpath, _INDEXES):
        if not index.is_file():
            continue
        for entry in _listed(index, "Import"):
            for model in _listed(index.parent / str(entry), "Models"):
                if isinstance(model, dict) and model.get("Name") in (name, stem):
                    found = index.parent / str(model.get("Config", ""))
                    if found.is_file():
                        return found
    return None


def _listed(file: Path, key: str) -> list[Any]:
    """Give a list in a YAML file; a file without it, or no file, counts as an empty one."""
    from tk_fileio import FileIOError, load  # slow, and only bases in packages need it

    if not file.is_file():
        return []
    try:
        content = load(io.StringIO(file.read_text(encoding="utf-8")), file_format="yaml")
    except FileIOError:
        return []
    found = content.get(key) if isinstance(content, dict) else content if key == "Models" else None
    return found if isinstance(found, list) else []
