from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tk_runner.lazy_names import lazy_names


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "lazy_demo"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from tk_runner.lazy_names import lazy_names\n"
        "__getattr__, __dir__ = lazy_names(__name__, {'found': 'inner', 'gone': 'inner'})\n"
    )
    (folder / "inner.py").write_text("found = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "lazy_demo"
    for name in [name for name in sys.modules if name.startswith("lazy_demo")]:
        del sys.modules[name]


def test_a_name_is_loaded_when_it_is_asked_for_and_kept(package: str) -> None:
    module = __import__(package)

    assert "lazy_demo.inner" not in sys.modules
    assert module.found == 7
    assert vars(module)["found"] == 7


def test_all_names_are_listed(package: str) -> None:
    assert {"found", "gone"} <= set(dir(__import__(package)))


def test_unknown_names_are_attribute_errors() -> None:
    get, _ = lazy_names("tk_runner", {"Runner": "runner"})

    with pytest.raises(AttributeError, match=r"no attribute 'Runer'; did you mean 'Runner'\?"):
        get("Runer")
    with pytest.raises(AttributeError, match=r"no attribute 'zzz'$"):
        get("zzz")
