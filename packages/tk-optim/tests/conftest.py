"""What the tests of this package share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tk_logging import MessageHub

sys.path.insert(0, str(Path(__file__).parent))  # optim_cases


@pytest.fixture
def hub() -> MessageHub:
    """A hub of the test's own, for wrappers that are told to use it."""
    return MessageHub("a hub of one test")
