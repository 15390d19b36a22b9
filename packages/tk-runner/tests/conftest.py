"""What tests of runs share: the toys of ``doubling``, and runs that are closed after each test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tk_logging import MMLogger

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def make_run(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Makes runners in ``tmp_path/work``; see ``doubling.toy_runner``."""
    from doubling import toy_runner

    made = []

    def make(**settings: Any) -> Any:
        settings.setdefault("work_dir", str(tmp_path / "work"))
        made.append(toy_runner(**settings))
        return made[-1]

    yield make
    for runner in made:
        runner.close()


@pytest.fixture(autouse=True)
def close_what_is_left_open() -> Iterator[None]:
    """A run that a test leaves open would decide what the loggers of later tests let through."""
    yield
    for logger in list(MMLogger._instance_dict.values()):
        logger.close()
