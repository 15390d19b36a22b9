"""Code for MMEngine in this process, and the process as it was afterwards."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tk_runner.compat.hook import install, uninstall


@pytest.fixture
def hooked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """``import mmengine`` gives the names of the tk packages."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "mmengine"]:
        monkeypatch.delitem(sys.modules, name)
    install()
    yield
    uninstall()
