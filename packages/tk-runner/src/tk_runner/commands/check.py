"""``tk-runner check cfg.py``: every mistake of a config with file and line, nothing built."""

from __future__ import annotations

import argparse

from .printing import say, say_json
from .reading import UnusableConfigError, add_config_arguments, read_config, use_working_folder

BAD_CONFIG = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The config, its overrides, ``--json``."""
    add_config_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    """Print every mistake; 2 where there is one."""
    use_working_folder()
    found = _problems(options)
    if options.json:
        say_json(found)
    elif found:
        lines = "\n".join(f"- {_line(one)}" for one in found)
        say(f"{options.config}: {_counted(len(found))}\n{lines}")
    else:
        say(f"{options.config}: no mistakes found")
    return BAD_CONFIG if found else 0


def _problems(options: argparse.Namespace) -> list[dict[str, str | None]]:
    try:
        cfg = read_config(options)
    except UnusableConfigError as error:
        return [{"path": "", "origin": None, "message": str(error)}]
    from ..runner import Runner
    from ..settings.check import config_problems, runner_arguments  # loads torch, 1.2 s

    return [
        {"path": one.path, "origin": one.origin, "message": one.message}
        for one in config_problems(cfg, runner_arguments(Runner))
    ]


def _line(problem: dict[str, str | None]) -> str:
    parts = (problem["origin"], problem["path"], problem["message"])
    return ": ".join(part for part in parts if part)


def _counted(number: int) -> str:
    return "1 mistake" if number == 1 else f"{number} mistakes"
