from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tk_fileio import MissingExtraError, require


def test_a_missing_package_says_what_to_install() -> None:
    with pytest.raises(MissingExtraError) as caught:
        require("no_such_module.part", install="tk-bird[wings]", purpose="flying")

    assert str(caught.value) == (
        "flying needs the package 'no_such_module', which is not installed; "
        "run: pip install 'tk-bird[wings]'"
    )


def test_a_broken_package_shows_its_own_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tk_broken_example.py").write_text("import what_it_needs")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ModuleNotFoundError, match="what_it_needs") as caught:
        require("tk_broken_example", install="x", purpose="testing")
    assert not isinstance(caught.value, MissingExtraError)
    sys.modules.pop("tk_broken_example", None)
