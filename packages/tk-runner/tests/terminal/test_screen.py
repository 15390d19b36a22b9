from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from toy_run import toy_run

from tk_runner.terminal.screen import MOST_LINES, TerminalHook, start_screen


def run(tmp_path: Path, capsys: Any, **changes: Any) -> str:
    toy_run(tmp_path, custom_hooks=[TerminalHook(**changes)], log_level="INFO").train()
    return str(capsys.readouterr().out)


def test_the_start_screen_is_short_and_says_what_runs_where(tmp_path: Path, capsys) -> None:
    said = run(tmp_path, capsys, config="toy.py")
    top = said.partition("Epoch(")[0].splitlines()

    assert len(top) <= MOST_LINES
    for text in ("toy.py", "Toy, 8 parameters", "24 samples, batches of 4", "12 iterations"):
        assert any(text in line for line in top)


def test_an_evaluation_ends_in_a_table(tmp_path: Path, capsys) -> None:
    said = run(tmp_path, capsys)

    assert [said.count(title) for title in ("metric", " best ", "toy/share   ")] == [2, 2, 2]


def test_the_end_says_how_fast_and_where(tmp_path: Path, capsys) -> None:
    said = run(tmp_path, capsys)
    end = said[said.rindex("\ndone ") :].split("\n")

    assert "12 iterations" in end[1]
    assert "samples/s" in "".join(end)
    assert str(tmp_path) in end[-2]


def test_without_a_terminal_the_lines_stay_plain(tmp_path: Path, capsys) -> None:
    said = run(tmp_path, capsys)

    assert "\x1b" not in said
    assert "Epoch(train)" in said


def test_a_live_line_takes_the_place_of_the_lines_of_progress(
    tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tk_runner.terminal.live_line.REFRESH_S", 0.0)
    monkeypatch.setenv("COLUMNS", "120")
    runner = toy_run(
        tmp_path,
        custom_hooks=[TerminalHook(live=True)],
        default_hooks={"logger": {"type": "LoggerHook", "interval": 3}},
        log_level="INFO",
    )
    runner.train()
    said = capsys.readouterr().out

    assert "Epoch(train)" not in said
    assert "Epoch(train)" in next(Path(runner.log_dir).glob("*.log")).read_text()
    handlers = [one for one in runner.logger.handlers if not isinstance(one, logging.FileHandler)]
    assert not any("NoProgress" in type(rule).__name__ for one in handlers for rule in one.filters)


def test_only_rank_0_talks(tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_runner.terminal.screen.is_main_process", lambda: False)
    said = run(tmp_path, capsys)

    assert "parameters" not in said
    assert "metric" not in said


def test_a_test_has_a_start_screen_of_its_own(tmp_path: Path) -> None:
    runner = toy_run(tmp_path)

    assert start_screen(runner, "val", "toy.py")[0].split() == ["val", "toy.py"]
