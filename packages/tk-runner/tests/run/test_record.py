from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from toy_run import toy_run

from tk_runner import Hook, Stopped
from tk_runner.run.record import RunRecord, git_state, outcome, without_secrets


def record_of(runner: Any) -> dict[str, Any]:
    return json.loads((Path(runner.log_dir) / "run.json").read_text())


def test_a_record_is_there_from_the_start(tmp_path: Path) -> None:
    found = record_of(toy_run(tmp_path))

    assert "outcome" not in found
    assert {"command", "started", "seed", "git", "environment", "world_size"} <= found.keys()


def test_a_run_that_is_done_says_what_it_reached(tmp_path: Path) -> None:
    runner = toy_run(tmp_path)
    runner.train()
    found = record_of(runner)["outcome"]

    assert (found["exit"], found["epoch"], found["iter"]) == (0, 2, 12)
    assert found["samples_per_second"] > 0
    shares = runner.message_hub.get_scalar("val/toy/share").data[0].tolist()
    assert found["metrics"] == {"val/toy/share": shares[-1]}
    assert found["best"] == {"val/toy/share": max(shares)}


def test_reads_of_the_device_are_counted_not_guessed(tmp_path: Path) -> None:
    runner = toy_run(tmp_path, default_hooks={"logger": {"type": "LoggerHook", "interval": 3}})
    runner.train()

    assert record_of(runner)["outcome"]["device_reads_per_step"] == pytest.approx(4 / 12)


class Fails(Hook):
    def after_train_iter(self, runner: Any, *args: Any, **kwargs: Any) -> None:
        raise LookupError("nothing here")


def test_a_run_that_fails_says_why(tmp_path: Path) -> None:
    runner = toy_run(tmp_path, custom_hooks=[Fails()])
    with pytest.raises(LookupError, match="nothing here"):
        runner.train()

    found = record_of(runner)["outcome"]
    assert (found["exit"], found["reason"]) == (1, "LookupError: nothing here")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (None, 0),
        (Stopped("SIGTERM", 143, "a.pth"), 143),
        (KeyboardInterrupt(), 130),
        (ValueError("no"), 1),
    ],
    ids=["done", "stopped", "Ctrl-C", "failed"],
)
def test_the_exit_status_is_that_of_the_command(error: BaseException | None, code: int) -> None:
    assert outcome(error)["exit"] == code


def test_a_record_that_cannot_be_written_hides_no_error(tmp_path: Path, monkeypatch) -> None:
    runner = toy_run(tmp_path, custom_hooks=[Fails()])
    monkeypatch.setattr(runner.record, "write", lambda **more: 1 / 0)

    with pytest.raises(LookupError, match="nothing here"):
        runner.train()


def test_more_is_added_to_what_was_written(tmp_path: Path) -> None:
    record = RunRecord(str(tmp_path), {"seed": 1})
    record.write(a=1)
    record.write(b=Path("x"))

    assert json.loads((tmp_path / "run.json").read_text())["b"] == "x"
    assert (record.content["a"], record.content["seed"]) == (1, 1)


def test_the_state_of_the_repository_is_known(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))  # look no further up
    assert git_state() is None

    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    (tmp_path / "file").write_text("1")
    for words in (["init", "-q"], ["add", "file"], ["commit", "-qm", "1"]):
        subprocess.run([*git, *words], check=True)
    assert git_state()["clean"]

    (tmp_path / "file").write_text("2")
    assert not git_state()["clean"]


def test_asking_git_takes_no_lock_in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def answer(command: list[str], **options: Any) -> Any:
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, stdout="abc")

    monkeypatch.setattr(subprocess, "run", answer)

    assert git_state() == {"commit": "abc", "clean": False}
    assert [command[1] for command in asked] == ["--no-optional-locks"] * 2


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (
            ["train", "a.py", "lr=0.1", "tokenizer=bpe"],
            ["train", "a.py", "lr=0.1", "tokenizer=bpe"],
        ),
        (["visualizer.api_key=abc123"], ["visualizer.api_key=***"]),
        (["--api-key", "abc123", "b"], ["--api-key", "***", "b"]),
        (["--password=abc123"], ["--password=***"]),
        (["url=https://u:from-the-environment@h"], ["url=https://u:***@h"]),
    ],
)
def test_secrets_of_the_command_line_are_not_recorded(words: list[str], shown: list[str]) -> None:
    assert without_secrets(words, {"HF_TOKEN": "from-the-environment", "HOME": "train"}) == shown
