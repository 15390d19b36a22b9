"""Guards over every test of the repository: no trace left, no device assumed.

The packages' tests do not depend on this file; it is laid beside them wherever
they run, also where one wheel is tested alone.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

NOT_OURS = {
    "PYTEST_CURRENT_TEST",  # pytest, at each phase
    "TORCHINDUCTOR_CACHE_DIR",  # torch, at the first optimizer step
    "TORCH_NCCL_ASYNC_ERROR_HANDLING",  # torch, at the first process group
    "KMP_INIT_AT_FORK",  # torch, at import
    "KMP_DUPLICATE_LIB_OK",  # torch, at import
    "COLUMNS",
    "LINES",
}


def _python_threads() -> dict[int | None, str]:
    return {thread.ident: thread.name for thread in threading.enumerate()}


@pytest.fixture(autouse=True)
def leave_no_trace() -> Iterator[None]:
    """A test restores the environment and ends its threads."""
    env, threads = dict(os.environ), _python_threads()
    yield
    changed = {key for key in env.keys() | os.environ.keys() if env.get(key) != os.environ.get(key)}
    changed -= NOT_OURS
    assert not changed, f"environment changed and not restored: {sorted(changed)}"
    alive = [name for ident, name in _python_threads().items() if ident not in threads]
    assert not alive, f"threads still running: {sorted(alive)}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse names that differ from run to run; say why a test that needs CUDA does not run."""
    if unstable := [item.nodeid for item in items if " at 0x" in item.nodeid]:
        raise pytest.UsageError(
            f"{unstable[0]} is named by an address, and processes that share the tests would "
            "disagree on it; give ids"
        )
    marked = [item for item in items if item.get_closest_marker("cuda")]
    if not marked:
        return
    import torch  # only where a test asks for a device; the torch-free packages never do

    if not torch.cuda.is_available():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="no CUDA device on this machine"))
