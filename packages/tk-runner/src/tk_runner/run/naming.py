"""The names of a run: its time stamp, its folder, its experiment."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tk_dist import broadcast_object_list, is_main_process


def claim_log_dir(work_dir: str) -> tuple[str, str]:
    """A time stamp that no other run in ``work_dir`` has, and the folder made for it.

    Two runs that begin in one second get different folders. Every rank gets the
    answer of rank 0.
    """
    answer: list[Any] = [None]
    if is_main_process():
        answer[0] = _claim(Path(work_dir))
    broadcast_object_list(answer)
    stamp = str(answer[0])
    return stamp, str(Path(work_dir) / stamp)


def _claim(work_dir: Path) -> str:
    work_dir.mkdir(parents=True, exist_ok=True)
    base = time.strftime("%Y%m%d_%H%M%S")
    number = 1
    stamp = base
    while True:
        try:
            (work_dir / stamp).mkdir()
            return stamp
        except FileExistsError:
            number += 1
            stamp = f"{base}_{number}"


def name_experiment(given: str | None, config_file: str | None, stamp: str) -> str:
    """``<given>_<stamp>``, else ``<stem of the config file>_<stamp>``, else the stamp alone."""
    stem = given or (Path(config_file).stem if config_file else None)
    return f"{stem}_{stamp}" if stem else stamp
