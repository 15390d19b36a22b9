"""The lower half works where torch cannot be imported, and the upper half starts without it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tree import PACKAGES, TORCH_FREE

FREE = sorted(name.replace("-", "_") for name in TORCH_FREE)
USES = {
    "tk_registry": "r = tk_registry.Registry('r', scope='s'); r.register_module(module=dict); r.build({'type': 'dict'})",
    "tk_fileio": "tk_fileio.exists('nowhere')",
    "tk_config": "tk_config.Config({'a': 1}).pretty_text",
    "tk_logging": "h = tk_logging.MessageHub.get_instance('x'); h.update_scalar('a', 1.0); h.get_scalar('a').mean()",
}


@pytest.mark.parametrize("module", FREE)
def test_a_torch_free_package_works_where_torch_cannot_be_imported(module: str) -> None:
    code = f"import sys; sys.modules['torch'] = None; import {module}; {USES[module]}"

    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.parametrize("module", [package.module for package in PACKAGES])
def test_importing_a_package_does_not_load_torch(module: str) -> None:
    code = f"import sys, {module}; sys.exit('torch' in sys.modules)"

    subprocess.run([sys.executable, "-c", code], check=True)
