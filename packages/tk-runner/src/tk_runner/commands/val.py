"""``tk-runner val cfg.py``: evaluate on the validation data."""

from __future__ import annotations

import argparse

from .running import add_run_arguments, run_mode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The config, and what may be changed about it."""
    add_run_arguments(parser, takes_checkpoint=True)


def run(options: argparse.Namespace) -> int:
    """The exit code."""
    return run_mode("val", options)
