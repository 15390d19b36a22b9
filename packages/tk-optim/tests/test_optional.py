"""Packages that are needed only for some things."""

from __future__ import annotations

from pathlib import Path

import pytest

from tk_optim import MissingExtraError
from tk_optim.optional import require


def test_a_missing_package_is_named_with_the_way_to_get_it() -> None:
    text = r"a plot needs the package 'no_such_package', .* pip install 'tk-optim\[plot\]'"
    with pytest.raises(MissingExtraError, match=text):
        require("no_such_package.part", extra="plot", purpose="a plot")


def test_a_package_that_is_broken_shows_its_own_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_for_optim.py").write_text("import no_such_package_at_all")
    monkeypatch.syspath_prepend(str(tmp_path))

    with pytest.raises(ModuleNotFoundError, match="no_such_package_at_all"):
        require("broken_for_optim", extra="plot", purpose="a plot")
