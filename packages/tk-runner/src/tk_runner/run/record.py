"""``run.json``: what was run, from where, on what, and how it ended.

Written whole at the start and again at the end, so that a run that was killed
has a record without an outcome.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tk_config import masked, names_a_secret, secrets_of
from tk_dist import is_main_process
from tk_fileio import atomic_write

from ..errors import Stopped
from ..hooks.best import known_rule
from ..interfaces.run import RunLike
from ..process.environment import collect_env

HIDDEN = "***"


class RunRecord:
    """The record of one run in its log folder.

    Args:
        log_dir: folder of the run; the record is ``run.json`` in it.
        facts: what the run knows of itself: seed, experiment, ranks.
    """

    def __init__(self, log_dir: str, facts: Mapping[str, Any]) -> None:
        self._path = Path(log_dir) / "run.json"
        self.measurement = Measurement()
        self._content: dict[str, Any] = {
            "command": without_secrets(sys.argv, os.environ),
            "working_folder": str(Path.cwd()),
            "started": _now(),
            **facts,
        }
        if is_main_process():  # which writes it: a thousand ranks shall not ask git as well
            self._content |= {"git": git_state(), "environment": collect_env()}

    @property
    def content(self) -> Mapping[str, Any]:
        """What the file holds."""
        return self._content

    def write(self, **more: Any) -> None:
        """Write the record, with ``more`` added to it."""
        self._content.update(more)
        with atomic_write(self._path, mode="w") as file:
            json.dump(self._content, file, indent=2, default=str)

    def complete(self, run: RunLike, error: BaseException | None) -> None:
        """Add how the run ended and what it got done, on rank 0.

        A record that cannot be written is told of, and hides no error of the run.
        """
        if not is_main_process():
            return
        try:
            self.write(outcome={**outcome(error), **self.measurement.of(run), "ended": _now()})
        except Exception as second:
            run.logger.warning("run.json was not completed: %s", second)


class Measurement:
    """How long a run took and what it got done, from where it began in this process."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._first_iter = 0
        self._reads = 0

    def begin(self, run: RunLike) -> None:
        """Count from here."""
        self._began = time.perf_counter()
        self._first_iter = run.iter
        self._reads = run.message_hub.num_reads

    def of(self, run: RunLike) -> dict[str, Any]:
        """Epoch, iteration, seconds, samples a second, device reads, newest and best metrics."""
        found: dict[str, Any] = {
            "epoch": run.epoch,
            "iter": run.iter,
            "seconds": round(time.perf_counter() - self._began, 3),
        }
        steps = run.iter - self._first_iter
        if steps > 0:
            found["device_reads_per_step"] = (run.message_hub.num_reads - self._reads) / steps
            rate = _samples_per_second(run)
            if rate is not None:
                found["samples_per_second"] = round(rate, 1)
        return {**found, "metrics": newest_metrics(run), "best": best_metrics(run)}


def outcome(error: BaseException | None) -> dict[str, Any]:
    """The exit status of a run that ended so, and why."""
    if error is None:
        return {"exit": 0, "reason": "done"}
    if isinstance(error, Stopped):
        return {"exit": error.code, "reason": str(error), "checkpoint": error.checkpoint}
    if isinstance(error, KeyboardInterrupt):
        return {"exit": 130, "reason": "stopped by SIGINT"}
    return {"exit": 1, "reason": f"{type(error).__name__}: {error}"}


def write_config(run: RunLike) -> None:
    """The config that the run was made from, into the work folder and to the visualizer."""
    if not run.cfg or not is_main_process():
        return
    name = Path(run.cfg.filename).name if run.cfg.filename else f"{run.timestamp}.py"
    target = Path(run.work_dir) / Path(name).with_suffix(".py").name
    with atomic_write(target, mode="w") as file:
        file.write(run.cfg_text)  # objects in it are shown, where a strict dump would refuse
    run.visualizer.add_config(run.cfg)


def newest_metrics(run: RunLike) -> dict[str, float]:
    """The last value of every metric of validation and test."""
    return {name: history.current() for name, history in _metrics(run).items()}


def best_metrics(run: RunLike) -> dict[str, float]:
    """The best value of every metric of which class or name says what is better."""
    found = {}
    for name, history in _metrics(run).items():
        mode, _, metric = name.partition("/")
        rule = known_rule(metric, run.test_loop if mode == "test" else run.val_loop)
        if rule is not None:
            found[name] = history.max() if rule.kind == "greater" else history.min()
    return found


def _metrics(run: RunLike) -> dict[str, Any]:
    times = ("/time", "/data_time")
    return {
        key: history
        for key, history in run.message_hub.log_scalars.items()
        if key.startswith(("val/", "test/")) and not key.endswith(times) and len(history)
    }


def _samples_per_second(run: RunLike) -> float | None:
    """Over the steps that are still remembered; validation and saving do not count."""
    times = run.message_hub.log_scalars.get("train/time")
    batch = getattr(run.train_dataloader, "batch_size", None)
    if times is None or not batch or not len(times):
        return None
    seconds = times.mean()
    return float(batch * run.world_size / seconds) if seconds > 0 else None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S")


def without_secrets(words: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The words of a command line with ``***`` in the place of each secret.

    Secrets are what a key or an option that names one is given, as in ``token=...``
    and ``--api-key ...``, and the values of variables that name one, wherever they are.
    """
    shown = []
    follows_a_name = False
    for word in words:
        name, equals, value = word.rpartition("=")
        option = word.lstrip("-").replace("-", "_")
        if follows_a_name:
            shown.append(HIDDEN)
        elif equals and value and names_a_secret(name.replace("-", "_")):
            shown.append(f"{name}={HIDDEN}")
        else:
            shown.append(masked(word, dict.fromkeys(secrets_of(environment), HIDDEN)))
        is_option = word.startswith("--") and not equals
        follows_a_name = is_option and not follows_a_name and names_a_secret(option)
    return shown


def git_state() -> dict[str, Any] | None:
    """Commit and cleanliness of the working folder's repository, or None outside of one."""
    commit = _git("rev-parse", "HEAD")
    if commit is None:
        return None
    return {"commit": commit, "clean": _git("status", "--porcelain", "-uno") == ""}


def _git(*arguments: str) -> str | None:
    try:
        answer = subprocess.run(
            # no lock in the repository, which would stay there if this process were killed
            ["git", "--no-optional-locks", *arguments],  # noqa: S607 - whichever git the user has
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
