from __future__ import annotations

import copy
import logging
import logging.config
import pickle
import threading
from pathlib import Path

import pytest

from tk_logging import InvalidArgumentError, MMLogger


def test_it_is_an_ordinary_logger_under_tk(caplog: pytest.LogCaptureFixture) -> None:
    logger = MMLogger.get_instance("exp")
    logger.info("hello")

    assert logging.getLogger("tk.exp") is logger
    assert isinstance(logger, logging.Logger)
    assert logger.parent is logging.getLogger("tk")
    assert caplog.record_tuples == [("tk.exp", logging.INFO, "hello")]


def test_a_child_passes_its_messages_up(capsys: pytest.CaptureFixture[str]) -> None:
    logger = MMLogger.get_instance("exp")
    logging.getLogger("tk.exp.part").info("from below")

    assert logging.getLogger("tk.exp.part").parent is logger
    assert capsys.readouterr().out.count("from below") == 1


def test_lines_on_the_console(capsys: pytest.CaptureFixture[str]) -> None:
    logger = MMLogger.get_instance("exp", logger_name="mine")
    logger.info("epoch %d", 3)

    time, name, level, message = capsys.readouterr().out.strip().split(" - ")
    assert (name, level, message) == ("mine", "INFO", "epoch 3")
    assert len(time) == len("11/30 05:20:07")


def test_a_file_gets_the_lines_with_the_year_and_without_colour(tmp_path: Path) -> None:
    path = tmp_path / "new" / "run.log"
    with MMLogger.get_instance("exp", log_file=path) as logger:
        logger.warning("grüße\nzweite Zeile")
        assert logger.log_file == str(path)

    text = path.read_text(encoding="utf-8")
    assert text.endswith(" - tk - WARNING - grüße\nzweite Zeile\n")
    assert text.index(" - ") == len("2026/11/30 05:20:07")
    assert "\x1b" not in text


def test_an_error_says_where_and_shows_its_traceback(tmp_path: Path) -> None:
    with MMLogger.get_instance("exp", log_file=tmp_path / "run.log") as logger:
        try:
            raise ValueError("broken")
        except ValueError:
            logger.exception("it failed")

    text = (tmp_path / "run.log").read_text()
    assert f"ERROR - {__file__} - test_an_error_says_where" in text
    assert "ValueError: broken" in text


def test_the_file_mode_of_a_resumed_run_appends(tmp_path: Path) -> None:
    for mode, message in (("w", "gone"), ("w", "first"), ("a", "second")):
        with MMLogger.get_instance("exp", log_file=tmp_path / "run.log", file_mode=mode) as logger:
            logger.info(message)

    lines = (tmp_path / "run.log").read_text().splitlines()
    assert [line.rsplit(" - ", 1)[1] for line in lines] == ["first", "second"]


def test_a_later_level_holds_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logger = MMLogger.get_instance("exp", log_file=tmp_path / "run.log")
    assert not logger.isEnabledFor(logging.DEBUG)
    logger.setLevel("debug")
    assert logger.isEnabledFor(logging.DEBUG)
    logger.debug("detail")

    assert "detail" in capsys.readouterr().out
    assert "detail" in (tmp_path / "run.log").read_text()


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="log_level 'LOUD' is unknown; use DEBUG"):
        MMLogger.get_instance("exp", log_level="LOUD")
    assert not MMLogger.check_instance_created("exp")


def test_two_runs_do_not_mix(tmp_path: Path) -> None:
    first = MMLogger.get_instance("first", log_file=tmp_path / "first.log")
    second = MMLogger.get_instance("second", log_file=tmp_path / "second.log")
    library = logging.getLogger("tk.some_library")
    first.info("from the first")
    with first.as_current():
        library.info("while the first is current")
    library.info("while the second is current")
    second.info("from the second")

    assert _messages(tmp_path / "first.log") == ["from the first", "while the first is current"]
    assert _messages(tmp_path / "second.log") == ["while the second is current", "from the second"]


def _messages(path: Path) -> list[str]:
    return [line.rsplit(" - ", 1)[1] for line in path.read_text().splitlines()]


def test_library_messages_in_a_thread_reach_the_only_run(tmp_path: Path) -> None:
    MMLogger.get_instance("exp", log_file=tmp_path / "run.log")
    thread = threading.Thread(target=logging.getLogger("tk.dist").info, args=("from a thread",))
    thread.start()
    thread.join()

    assert _messages(tmp_path / "run.log") == ["from a thread"]


def test_library_messages_below_the_run_s_level_are_dropped(tmp_path: Path) -> None:
    MMLogger.get_instance("loud", log_level="DEBUG")
    MMLogger.get_instance("calm", log_file=tmp_path / "run.log", log_level="WARNING")
    logging.getLogger("tk.dist").info("detail")

    assert _messages(tmp_path / "run.log") == []


def test_closing_gives_back_files_name_and_the_level_of_tk(tmp_path: Path) -> None:
    logger = MMLogger.get_instance("exp", log_file=tmp_path / "run.log", log_level="DEBUG")
    handlers = list(logger.handlers)
    assert logging.getLogger("tk").level == logging.DEBUG
    logger.close()
    logger.close()

    assert logger.is_closed
    assert logger.handlers == []
    assert handlers[1].stream is None  # type: ignore[attr-defined]
    assert logging.getLogger("tk").level == logging.NOTSET
    assert logging.getLogger("tk").handlers == []
    assert MMLogger.get_instance("exp") is not logger


def test_a_level_of_tk_that_the_user_set_stays() -> None:
    root = logging.getLogger("tk")
    root.setLevel(logging.ERROR)
    try:
        MMLogger.get_instance("exp", log_level="DEBUG").close()
        assert root.level == logging.ERROR
    finally:
        root.setLevel(logging.NOTSET)


def test_a_message_after_the_end_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    logger = MMLogger.get_instance("exp")
    logger.close()
    logger.warning("late")

    assert "late" in caplog.text


def test_logging_config_sees_it(caplog: pytest.LogCaptureFixture) -> None:
    logger = MMLogger.get_instance("exp")
    config = {"version": 1, "disable_existing_loggers": False}
    logging.config.dictConfig({**config, "loggers": {"tk.exp": {"level": "ERROR"}}})
    logger.warning("too low")

    assert caplog.text == ""


def test_other_ranks_show_errors_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    logger = MMLogger.get_instance("exp", log_file=tmp_path / "run.log")
    logger.info("quiet")
    logger.error("loud")

    out = capsys.readouterr().out
    assert "loud" in out
    assert "quiet" not in out
    assert logger.log_file is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("settings", [{"distributed": True}, {"log_level": "DEBUG"}])
def test_every_rank_writes_a_file_when_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: dict[str, object]
) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,GPU-7")
    logger = MMLogger.get_instance("exp", log_file=tmp_path / "run.log", **settings)
    logger.info("here")

    (path,) = tmp_path.iterdir()
    assert path.name.startswith("run_")
    assert path.name.endswith("_deviceGPU-7_rank1.log")
    assert _messages(path) == ["here"]


def test_pickling_and_copying_give_the_same_logger() -> None:
    logger = MMLogger.get_instance("exp")

    assert pickle.loads(pickle.dumps(logger)) is logger
    assert copy.deepcopy(logger) is logger


def test_the_current_logger_is_made_when_there_is_none() -> None:
    logger = MMLogger.get_current_instance()

    assert logger.instance_name == "tk"
    assert MMLogger.get_current_instance() is logger


def test_a_logger_that_could_not_be_made_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong in ({"log_level": "LOUD"}, {"log_file": tmp_path, "log_level": "INFO"}):
        with pytest.raises((InvalidArgumentError, OSError)):
            MMLogger.get_instance("exp", **wrong)  # type: ignore[arg-type]
    MMLogger.get_instance("exp").info("once")

    assert capsys.readouterr().out.count("once") == 1


def test_a_logger_that_was_made_directly_gets_library_messages_too(tmp_path: Path) -> None:
    with MMLogger("direct", log_file=tmp_path / "run.log"):
        logging.getLogger("tk.dist").info("from a library")

    assert _messages(tmp_path / "run.log") == ["from a library"]
    assert not MMLogger.check_instance_created("tk")
