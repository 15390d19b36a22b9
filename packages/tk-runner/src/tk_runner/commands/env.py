"""``tk-runner env``: the machine and the installed versions, for reports of bugs."""

from __future__ import annotations

import argparse
from typing import Any

from .printing import say, say_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    """Print the report."""
    from ..process.environment import collect_env  # loads torch, 1.2 s

    report = collect_env()
    if options.json:
        say_json(report)
    else:
        width = max(map(len, report))
        say("\n".join(f"{name:<{width}}  {_shown(value)}" for name, value in report.items()))
    return 0


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "not installed" if value is None else str(value)
