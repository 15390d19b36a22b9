"""The lower half works where torch cannot be imported, and the upper half starts without it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tree import PACKAGES, TORCH_FREE

FREE = sorted(name.replace("-", "_") for name in TORCH_FREE)
USES = {
    "tk_registry": """
registry = tk_registry.Registry("thing", scope="demo")
registry.register_module(module=dict)
registry.build({"type": "dict"})
""",
    "tk_fileio": "tk_fileio.exists('nowhere')",
    "tk_config": "tk_config.Config({'a': 1}).pretty_text",
    "tk_logging": """
hub = tk_logging.MessageHub.get_instance("demo")
hub.update_scalar("loss", 1.0)
hub.get_scalar("loss").mean()
""",
}


@pytest.mark.parametrize("module", FREE)
def test_a_torch_free_package_works_where_torch_cannot_be_imported(module: str) -> None:
    code = f"import sys; sys.modules['torch'] = None; import {module}\n{USES[module]}"

    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.parametrize("module", [package.module for package in PACKAGES])
def test_importing_a_package_does_not_load_torch(module: str) -> None:
    code = f"import sys, {module}; sys.exit('torch' in sys.modules)"

    subprocess.run([sys.executable, "-c", code], check=True)
