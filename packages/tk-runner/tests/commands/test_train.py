from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tk_runner import read_checkpoint


def weights(path: Path) -> dict[str, Any]:
    state = read_checkpoint(path)["state_dict"]
    return {name: value.tolist() for name, value in state.items()}


def record(work_dir: Path) -> dict[str, Any]:
    newest = max(work_dir.glob("*/run.json"), key=lambda path: path.stat().st_mtime_ns)
    return json.loads(newest.read_text())


def test_a_training_writes_into_a_folder_called_like_its_config(toy) -> None:
    said = toy.run("train", "cfg.py")

    assert said.code == 0, said.err
    assert (toy.folder / "work_dirs/cfg/epoch_2.pth").exists()
    assert record(toy.folder / "work_dirs/cfg")["outcome"]["exit"] == 0


def test_what_is_read_on_the_screen_is_where_things_are_and_what_was_reached(toy) -> None:
    said = toy.run("train", "cfg.py")

    for text in ("ToyModel", "work_dirs/cfg", "samples/s", "device reads a step", "toy/error"):
        assert text in said.out
    assert said.err == ""


def test_options_win_over_the_config(toy) -> None:
    toy.write(work_dir="elsewhere")
    said = toy.run(
        "train", "cfg.py", "--work-dir", "here", "--seed", "5", "--amp",
        "--cfg-options", "train_cfg.max_epochs=1", "train_dataloader.batch_size=8",
    )  # fmt: skip

    assert said.code == 0, said.err
    found = record(toy.folder / "here")
    assert found["seed"] == 5
    assert found["outcome"]["iter"] == 2
    assert "AmpOptimWrapper" in found["config"]


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGUSR1, 138)],
    ids=["SIGTERM", "Ctrl-C", "SIGUSR1"],
)
def test_a_stopped_training_saves_and_the_printed_command_resumes_it_exactly(
    toy, number: int, code: int
) -> None:
    toy.run("train", "cfg.py", "--work-dir", "straight")
    toy.write("stopped.py", custom_hooks=[{"type": "SendSignal", "at": 6, "number": int(number)}])
    stopped = toy.run("train", "stopped.py", "--work-dir", "halves")

    assert stopped.code == code
    assert "go on with: " in stopped.err
    assert (toy.folder / "halves/iter_6.pth").exists()
    assert record(toy.folder / "halves")["outcome"]["exit"] == code

    toy.write("stopped.py")  # the same run without the signal
    command = stopped.err.partition("go on with: ")[2].split()
    resumed = toy.run(*command[command.index("train") :])

    assert resumed.code == 0, resumed.err
    assert weights(toy.folder / "halves/epoch_2.pth") == weights(
        toy.folder / "straight/epoch_2.pth"
    )


def test_a_time_budget_ends_with_75(toy) -> None:
    toy.write(time_budget_s=0.0)
    said = toy.run("train", "cfg.py")

    assert said.code == 75
    assert "--resume" in said.err
    assert (toy.folder / "work_dirs/cfg/iter_1.pth").exists()


def test_a_stop_file_ends_with_75(toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_runner.process.stop_requests.FILE_CHECK_S", 0.0)
    toy.write(custom_hooks=[{"type": "MakeStopFile"}])
    said = toy.run("train", "cfg.py")

    assert said.code == 75
    assert (toy.folder / "work_dirs/cfg/iter_3.pth").exists()


def test_a_training_that_is_resumed_from_a_path_takes_that_file(toy) -> None:
    toy.run("train", "cfg.py")
    said = toy.run("train", "cfg.py", "--resume", "work_dirs/cfg/epoch_1.pth")

    assert said.code == 0, said.err
    assert "resumed from work_dirs/cfg/epoch_1.pth: epoch 1, iteration 4" in said.out


def test_a_resumed_run_goes_on_with_the_seed_that_it_began_with(toy) -> None:
    toy.write(randomness=None, custom_hooks=[{"type": "SendSignal", "at": 2}])
    toy.run("train", "cfg.py", "--work-dir", "halves")
    seed = record(toy.folder / "halves")["seed"]
    toy.write(randomness=None)
    toy.run("train", "cfg.py", "--work-dir", "halves", "--resume")
    toy.run("train", "cfg.py", "--work-dir", "straight", "--seed", str(seed))

    assert weights(toy.folder / "halves/epoch_2.pth") == weights(
        toy.folder / "straight/epoch_2.pth"
    )


def test_a_secret_of_the_environment_is_written_nowhere(toy, monkeypatch) -> None:
    monkeypatch.setenv("TOY_TOKEN", "hunter2hunter2")
    with (toy.folder / "cfg.py").open("a") as file:
        file.write('token = "{{$TOY_TOKEN!secret}}"\n')
    said = toy.run("train", "cfg.py")

    assert said.code == 0, said.err
    assert "hunter2" not in said.out + said.err
    files = [path for path in toy.folder.rglob("*") if path.is_file()]
    assert len(files) > 5
    assert not [path for path in files if b"hunter2" in path.read_bytes()]


def test_a_work_folder_may_be_moved_and_resumed_elsewhere(toy) -> None:
    toy.write(custom_hooks=[{"type": "SendSignal", "at": 6}])
    toy.run("train", "cfg.py", "--work-dir", "here")
    (toy.folder / "here").rename(toy.folder / "there")
    toy.write()
    said = toy.run("train", "cfg.py", "--work-dir", "there", "--resume")

    assert said.code == 0, said.err
    assert "resumed from there/iter_6.pth: epoch 1, iteration 6" in said.out
    assert not (toy.folder / "here").exists()
