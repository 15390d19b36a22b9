from __future__ import annotations

import logging.handlers
from pathlib import Path
from typing import Any

import pytest

from tk_logging import InvalidArgumentError, InvalidValueError, MMLogger
from tk_logging.handlers import file_handler, path_of_rank


@pytest.mark.parametrize(
    "settings",
    [
        {"type": "FileHandler"},
        {"type": "RotatingFileHandler", "maxBytes": 200, "backupCount": 2},
        {"type": "TimedRotatingFileHandler", "when": "D"},
        {"type": "WatchedFileHandler"},
    ],
    ids=lambda settings: settings["type"],
)
def test_files_of_every_kind(tmp_path: Path, settings: dict[str, Any]) -> None:
    before = dict(settings)
    path = tmp_path / "run.log"
    with MMLogger.get_instance("exp", log_file=path, file_handler_cfg=settings) as logger:
        logger.info("here")
        assert type(logger.handlers[1]).__name__ == settings["type"]

    assert path.read_text().endswith("INFO - here\n")
    assert settings == before


def test_a_rotating_file_rotates(tmp_path: Path) -> None:
    settings = {"type": "RotatingFileHandler", "maxBytes": 200, "backupCount": 2}
    path = tmp_path / "run.log"
    with MMLogger.get_instance("exp", log_file=path, file_handler_cfg=settings) as logger:
        for number in range(20):
            logger.info("line %d", number)

    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.log", "run.log.1", "run.log.2"]


def test_a_file_name_of_the_settings_wins(tmp_path: Path) -> None:
    settings = {"type": "FileHandler", "filename": str(tmp_path / "other.log")}
    handler = file_handler(tmp_path / "run.log", "w", "tk", settings)
    handler.close()

    assert handler.baseFilename == str(tmp_path / "other.log")


@pytest.mark.parametrize("kind", ["NoSuchHandler", "StreamHandler", "SMTPHandler", "os"])
def test_another_type_is_refused_with_the_choices(tmp_path: Path, kind: str) -> None:
    with pytest.raises(
        InvalidValueError, match=r"choose one of FileHandler, .*RotatingFileHandler"
    ):
        file_handler(tmp_path / "run.log", "w", "tk", {"type": kind})


def test_settings_without_a_type_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="a dict with 'type'"):
        file_handler(tmp_path / "run.log", "w", "tk", {"maxBytes": 3})


def test_the_file_of_a_rank_is_named_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr("getpass.getuser", lambda: "me")
    monkeypatch.setattr("socket.gethostname", lambda: "host")

    assert path_of_rank("logs/run.log") == Path("logs/run_me@host_device1_rank3.log")


def test_a_user_without_a_name_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def nameless() -> str:
        raise KeyError("uid not found")

    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr("getpass.getuser", nameless)

    assert path_of_rank("run.log").name == "run_device0_rank0.log"


def test_the_console_follows_a_replaced_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import io

    logger = MMLogger.get_instance("exp")
    notebook = io.StringIO()
    monkeypatch.setattr("sys.stdout", notebook)
    logger.info("here")

    assert notebook.getvalue().endswith("INFO - here\n")


def test_a_console_formatter_of_the_user_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    logger = MMLogger.get_instance("exp")
    logger.handlers[0].setFormatter(logging.Formatter("[%(message)s]"))
    logger.info("here")

    assert capsys.readouterr().out == "[here]\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told_of_in_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    with MMLogger.get_instance("full", log_file="/dev/full") as logger:
        for number in range(3):
            logger.info("message %d", number)

    told = capfd.readouterr().err.splitlines()
    assert len(told) == 1
    assert told[0].startswith("the log file /dev/full cannot be written, so messages are missing")
    assert "No space left on device" in told[0]


def test_an_error_of_another_kind_is_shown_as_ever(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    handler = file_handler(tmp_path / "a.log", "w", "broken")
    handler.handle(logging.makeLogRecord({"msg": "%d", "args": ("no number",)}))
    handler.close()

    assert "TypeError" in capfd.readouterr().err
