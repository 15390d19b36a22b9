"""``tk-runner train cfg.py``: train a model as a config says."""

from __future__ import annotations

import argparse

from .running import add_run_arguments, run_mode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The config, and what may be changed about it."""
    add_run_arguments(parser, takes_checkpoint=False)


def run(options: argparse.Namespace) -> int:
    """The exit code."""
    return run_mode("train", options)
