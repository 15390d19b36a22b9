from __future__ import annotations

import os
from typing import Any

import pytest

from tk_config import (
    Config,
    CustomImportError,
)


def test_custom_imports_are_made_when_the_file_is_trusted(
    folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.path / f"tkc_mod_{folder.suffix}.py").write_text("import os\nos.environ['TKC_DID']='1'")
    monkeypatch.syspath_prepend(str(folder.path))
    monkeypatch.setenv("TKC_DID", "0")
    path = folder.write("a", "custom_imports", folder.dict(imports=f'"tkc_mod_{folder.suffix}"'))

    Config.fromfile(path, import_custom_modules=False)
    assert os.environ["TKC_DID"] == "0"
    Config.fromfile(path)
    assert os.environ["TKC_DID"] == "1"


def test_custom_imports_in_another_form_are_an_error(write: Any) -> None:
    with pytest.raises(TypeError, match=r"must be dict\(imports="):
        Config.fromfile(write(a_py="custom_imports = ['os']\n"))


@pytest.mark.parametrize("code", ["import sys; sys.exit(0)", "1 / 0"])
def test_a_module_that_fails_is_an_error_of_the_config(
    write: Any, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    path = write(fails_here_py=code, a_py="x = 1\ncustom_imports = dict(imports=['fails_here'])\n")
    monkeypatch.syspath_prepend(str(path.parent))

    with pytest.raises(CustomImportError, match=r"a\.py:2: importing 'fails_here'.* fails with"):
        Config.fromfile(path)
