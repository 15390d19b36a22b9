"""``run.json``: what was run, from where, on what. Written at the start, completed at the end."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tk_fileio import atomic_write

from .environment import collect_env


class RunRecord:
    """The record of one run in its log folder.

    Args:
        log_dir: folder of the run; the record is ``run.json`` in it.
        facts: what the run knows of itself: seed, experiment, ranks.
    """

    def __init__(self, log_dir: str, facts: dict[str, Any]) -> None:
        self._path = Path(log_dir) / "run.json"
        self._content: dict[str, Any] = {
            "command": sys.argv,
            "started": time.strftime("%Y-%m-%dT%H:%M:%S"),
            **facts,
            "git": git_state(),
            "environment": collect_env(),
        }

    def write(self, **more: Any) -> None:
        """Write the record, with ``more`` added to it."""
        self._content.update(more)
        with atomic_write(self._path, mode="w") as file:
            json.dump(self._content, file, indent=2, default=str)


def git_state() -> dict[str, Any] | None:
    """Commit and cleanliness of the working folder's repository, or None outside of one."""
    commit = _git("rev-parse", "HEAD")
    if commit is None:
        return None
    return {"commit": commit, "clean": _git("status", "--porcelain", "-uno") == ""}


def _git(*arguments: str) -> str | None:
    try:
        answer = subprocess.run(
            ["git", *arguments],  # noqa: S607 - whichever git the user has
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
