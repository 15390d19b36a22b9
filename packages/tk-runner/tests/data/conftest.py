"""What the tests of data share: the folder of ``counted_samples``, and patience with queues."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def queues_close() -> Iterator[None]:
    """The threads that feed the queues of ended workers end a moment after them."""
    yield
    for thread in threading.enumerate():
        if thread.name == "QueueFeederThread":
            thread.join(timeout=10)
