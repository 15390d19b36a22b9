from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ["torch", "numpy", "yaml", "fsspec", "lmdb", "aiohttp", "asyncio"]


@pytest.mark.parametrize("statement", ["import tk_fileio", "from tk_fileio import *"])
def test_an_import_brings_nothing_heavy(statement: str) -> None:
    code = f"import sys; {statement}; print(*(set({HEAVY}) & set(sys.modules)))"

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True
    )

    assert done.stdout.strip() == ""


def test_it_works_where_torch_and_numpy_cannot_be_imported() -> None:
    code = (
        "import sys; sys.modules['torch'] = sys.modules['numpy'] = None; import tk_fileio;"
        "assert tk_fileio.dump({'a': {1}}, file_format='json') == '{\"a\": [1]}'"
    )

    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
