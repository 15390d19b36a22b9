"""Packages, modules and programs that are there or not."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import pkgutil
import shutil
import subprocess
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..errors import NotServedError


def import_modules_from_strings(imports: Any, allow_failed_imports: bool = False) -> Any:
    """The module of a name, or the modules of a list of names; None for nothing.

    Raises:
        TypeError: no text, or no list of texts.
        ImportError: a module cannot be imported, and that is not allowed.
    """
    if not imports:
        return None
    names = [imports] if isinstance(imports, str) else imports
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"imports must be a text or a list of texts, got {imports!r}")
    modules = [_module(name, allow_failed_imports) for name in names]
    return modules[0] if isinstance(imports, str) else modules


def _module(name: str, allow_failed_imports: bool) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if not allow_failed_imports:
            raise ImportError(f"{name} cannot be imported: {error}") from error
        warnings.warn(f"{name} cannot be imported and is left out: {error}", stacklevel=3)
        return None


def get_object_from_string(obj_name: str) -> Any:
    """The object of a dotted name; None where there is none."""
    try:
        return pkgutil.resolve_name(obj_name)
    except (ImportError, AttributeError, ValueError):
        return None


def is_installed(package: str) -> bool:
    """Whether there is such a module or distribution."""
    try:
        if importlib.util.find_spec(package) is not None:
            return True
    except (ModuleNotFoundError, ValueError):
        pass
    try:
        importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def get_installed_path(package: str) -> str:
    """The folder of an installed package.

    Raises:
        PackageNotFoundError: it is not installed.
    """
    spec = importlib.util.find_spec(package.replace("-", "_"))
    if spec is None or spec.origin is None:
        distribution = importlib.metadata.distribution(package)
        names = (distribution.read_text("top_level.txt") or package).split()
        return str(distribution.locate_file(names[0]))
    return str(Path(spec.origin).parent)


def call_command(cmd: list[str]) -> None:
    """Run a command.

    Raises:
        CalledProcessError: it failed.
    """
    subprocess.run(cmd, check=True)


def install_package(package: str) -> None:
    """Refuse: a program does not install packages while it runs.

    Raises:
        NotServedError: it is not installed; the text says how to.
    """
    if not is_installed(package):
        raise NotServedError(f"{package} is not installed; run: pip install {package}")


def check_prerequisites(
    prerequisites: str | Sequence[str],
    checker: Callable[[str], bool],
    msg_tmpl: str = "{} of {} need: {}",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: a call fails where a prerequisite is missing.

    Args:
        prerequisites: one or several names.
        checker: tells whether one is there.
        msg_tmpl: of the error, with the missing ones, the function's name, and the missing ones.
    """
    needed = [prerequisites] if isinstance(prerequisites, str) else list(prerequisites)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            missing = [name for name in needed if not checker(name)]
            if missing:
                listed = ", ".join(missing)
                raise RuntimeError(msg_tmpl.format(listed, function.__name__, listed))
            return function(*args, **kwargs)

        return call

    return decorate


def requires_package(prerequisites: str | Sequence[str]) -> Any:
    """A decorator: a call fails where a package is missing."""
    return check_prerequisites(
        prerequisites, is_installed, "the packages {} are missing, which {} needs: pip install {}"
    )


def requires_executable(prerequisites: str | Sequence[str]) -> Any:
    """A decorator: a call fails where a program is missing."""
    return check_prerequisites(
        prerequisites,
        lambda name: shutil.which(name) is not None,
        "the programs {} are missing, which {} needs; install {}",
    )


def get_git_hash(fallback: str = "unknown", digits: int | None = None) -> str:
    """The commit of the working folder's repository; ``fallback`` outside of one.

    Raises:
        TypeError: ``digits`` is no whole number.
    """
    if digits is not None and not isinstance(digits, int):
        raise TypeError(f"digits must be a whole number or None, got {digits!r}")
    git = shutil.which("git")
    if git is None:
        return fallback
    answer = subprocess.run(
        [git, "--no-optional-locks", "rev-parse", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.stdout.strip()[:digits] if answer.returncode == 0 else fallback
