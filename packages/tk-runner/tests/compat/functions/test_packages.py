"""Packages, modules and programs that are there or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tk_runner.compat.errors import NotServedError
from tk_runner.compat.functions import packages


def test_modules_are_imported_by_name() -> None:
    assert packages.import_modules_from_strings("json") is json
    assert packages.import_modules_from_strings(["json", "pathlib"])[0] is json
    assert packages.import_modules_from_strings([]) is None


def test_a_module_that_is_missing_is_an_error_or_a_warning() -> None:
    with pytest.raises(ImportError, match="no_such_module cannot be imported"):
        packages.import_modules_from_strings("no_such_module")
    with pytest.warns(UserWarning, match="no_such_module cannot be imported and is left out"):
        assert packages.import_modules_from_strings(["no_such_module"], True) == [None]


@pytest.mark.parametrize("imports", [1, [1], ("json",)])
def test_other_kinds_of_names_are_an_error(imports: Any) -> None:
    with pytest.raises(TypeError, match="a text or a list of texts"):
        packages.import_modules_from_strings(imports)


def test_an_object_is_found_by_its_dotted_name() -> None:
    assert packages.get_object_from_string("torch.nn.Linear") is torch.nn.Linear
    assert packages.get_object_from_string("torch.nn.Lineer") is None
    assert packages.get_object_from_string("no_such_module.x") is None


def test_a_package_is_found_by_its_module_or_its_distribution() -> None:
    assert packages.is_installed("torch")
    assert packages.is_installed("tk-runner")
    assert not packages.is_installed("no_such_package")
    assert not packages.is_installed("no_such_package.part")
    assert packages.get_installed_path("torch") == str(Path(torch.__file__).parent)


def test_nothing_is_installed_at_run_time() -> None:
    packages.install_package("torch")
    with pytest.raises(NotServedError, match="run: pip install no-such-package"):
        packages.install_package("no-such-package")


def test_a_call_fails_where_a_prerequisite_is_missing() -> None:
    @packages.requires_package(["torch", "no_such_package"])
    def lacking() -> int:
        return 1

    @packages.requires_executable("sh")
    def fine() -> int:
        return 2

    assert fine() == 2
    with pytest.raises(RuntimeError, match="no_such_package are missing, which lacking needs"):
        lacking()


def test_the_commit_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert packages.get_git_hash(fallback="none") == "none"
    with pytest.raises(TypeError, match="digits must be a whole number"):
        packages.get_git_hash(digits="6")  # type: ignore[arg-type]

    packages.call_command(["git", "init", "-q"])
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    packages.call_command(["git", *identity, "commit", "-q", "--allow-empty", "-m", "x"])
    assert len(packages.get_git_hash(digits=6)) == 6
