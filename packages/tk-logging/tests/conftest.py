from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tk_logging import MessageHub, MMLogger

sys.path.insert(0, str(Path(__file__).parent))  # for reads.py


@pytest.fixture(autouse=True)
def no_runs_left() -> Iterator[None]:
    yield
    for logger in list(MMLogger._instance_dict.values()):
        logger.close()
    for name in list(MessageHub._instance_dict):
        MessageHub.forget_instance(name)
    assert logging.getLogger("tk").handlers == []


@pytest.fixture
def hub() -> MessageHub:
    return MessageHub.get_instance("run")
