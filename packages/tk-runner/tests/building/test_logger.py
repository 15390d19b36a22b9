"""The logger of a run, and a name for its instances."""

from __future__ import annotations

from pathlib import Path

import pytest

from tk_logging import MessageHub, MMLogger
from tk_runner import Visualizer
from tk_runner.building.logger import build_logger, unused_name


@pytest.mark.parametrize("kind", [MMLogger, MessageHub, Visualizer])
def test_a_name_that_any_instance_of_a_run_has_is_not_used_again(kind: type) -> None:
    instance = kind.get_instance("taken")  # type: ignore[attr-defined]
    try:
        assert unused_name("taken") == "taken_2"
        assert unused_name("free") == "free"
    finally:
        instance.close() if isinstance(instance, MMLogger) else instance.forget_instance("taken")


def test_a_logger_writes_to_the_file_of_its_run(tmp_path: Path) -> None:
    with build_logger("mine", str(tmp_path), "20260101_000000", "INFO") as logger:
        logger.info("here")

    assert "here" in (tmp_path / "20260101_000000.log").read_text()
