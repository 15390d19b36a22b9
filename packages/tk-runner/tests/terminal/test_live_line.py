from __future__ import annotations

from pathlib import Path

import pytest
from toy_run import toy_run

from tk_runner.terminal.live_line import is_interactive
from tk_runner.terminal.screen import TerminalHook


def test_the_live_line_reads_nothing_from_the_device(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tk_runner.terminal.live_line.REFRESH_S", 0.0)
    quiet, shown = (
        toy_run(
            tmp_path / name,
            custom_hooks=hooks,
            default_hooks={"logger": {"type": "LoggerHook", "interval": 3}},
        )
        for name, hooks in (("quiet", []), ("shown", [TerminalHook(live=True)]))
    )
    quiet.train()
    shown.train()

    assert shown.message_hub.num_reads == quiet.message_hub.num_reads


class Terminal:
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name in ("CI", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [("TERM", "xterm", True), ("TERM", "dumb", False), ("CI", "true", False)],
    ids=["terminal", "dumb terminal", "CI"],
)
def test_who_gets_a_live_line(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: bool
) -> None:
    monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", terminal)

    assert is_interactive() is expected


def test_no_color_is_honoured(
    tmp_path: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stdout", terminal)
    toy_run(tmp_path, custom_hooks=[TerminalHook(live=False)]).train()

    assert "\x1b[3" not in terminal.text  # 30 to 37 are colours


def test_a_line_is_never_wider_than_the_terminal(
    tmp_path: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tk_runner.terminal.live_line.REFRESH_S", 0.0)
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stdout", terminal)
    toy_run(tmp_path, custom_hooks=[TerminalHook()]).train()

    live = [part for part in terminal.text.split("\x1b[2K") if "epoch " in part and "it/s" in part]
    assert live
    assert all(len(part.partition("\r")[0].partition("\n")[0]) <= 50 for part in live)
