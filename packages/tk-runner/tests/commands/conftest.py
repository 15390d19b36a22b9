from __future__ import annotations

import copy
import os
import pprint
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)

LOADER = {
    "batch_size": 4,
    "dataset": {"type": "ToyData", "length": 16},
    "collate_fn": {"type": "default_collate"},
}
BASE: dict[str, Any] = {
    "custom_imports": {"imports": ["toy_parts"]},
    "model": {"type": "ToyModel"},
    "train_dataloader": LOADER,
    "train_cfg": {"by_epoch": True, "max_epochs": 2},
    "optim_wrapper": {"optimizer": {"type": "SGD", "lr": 0.01, "momentum": 0.9}},
    "val_dataloader": LOADER,
    "val_cfg": {},
    "val_evaluator": {"type": "ToyMetric"},
    "test_dataloader": LOADER,
    "test_cfg": {},
    "test_evaluator": {"type": "ToyMetric"},
    "randomness": {"seed": 3},
}


@dataclass
class Said:
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str


@dataclass
class Toy:
    """A folder with a config of a toy training, and the command in it."""

    folder: Path
    read: Callable[[], Any]
    changes: dict[str, Any] = field(default_factory=dict)

    def write(self, name: str = "cfg.py", **changes: Any) -> None:
        """Write the config; ``None`` leaves a key out."""
        cfg = {**copy.deepcopy(BASE), **changes}
        lines = [
            f"{key} = {pprint.pformat(value)}" for key, value in cfg.items() if value is not None
        ]
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def run(self, *words: str) -> Said:
        """The command in this process."""
        from tk_runner.__main__ import main

        try:
            code = main(words)
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = self.read()
        return Said(code, out, err)

    def start(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        """The command in a process of its own."""
        path = os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        return subprocess.Popen(
            [sys.executable, "-m", "tk_runner", *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def end(self, process: subprocess.Popen[str]) -> Said:
        out, err = process.communicate(timeout=120)
        return Said(process.returncode, out, err)


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Iterator[Toy]:
    """A toy training in a fresh folder, which is the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = signal.getsignal(signal.SIGTERM)
    made = Toy(tmp_path, capsys.readouterr)
    made.write()
    yield made
    signal.signal(signal.SIGTERM, before)
