"""Lets the chaos tests share the modules that stand beside them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Thousands of warnings about damaged files would hide the one that matters."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)
