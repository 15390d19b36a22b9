from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tk_logging import MessageHub, MMLogger


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
