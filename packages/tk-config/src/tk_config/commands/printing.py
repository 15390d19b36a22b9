"""What several subcommands share: reading the config that was asked for, printing values."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import Any

from ..config import Config
from ..tree.secret import masked
from ..writing.python_text import python_source, show_unwritable


def read(args: Namespace, config: str | None = None) -> Config:
    """Read a config by the options of a command line, with its overrides.

    Args:
        args: the command line.
        config: the file; without one, ``args.config``.
    """
    cfg = Config.fromfile(config or args.config, trusted=not args.data_only, root=args.root)
    if getattr(args, "cfg_options", None):
        cfg.merge_from_dict(args.cfg_options)
    return cfg


def say(text: str) -> None:
    """Print to standard output."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def say_json(value: Any) -> None:
    """Print a value as JSON; what JSON cannot hold is shown as text."""
    say(json.dumps(value, indent=2, default=str))


def shown(value: Any, secrets: dict[str, str] | None = None) -> str:
    """Show a value as Python source, secrets as references."""
    return python_source({"_": value}, secrets, show_unwritable)[len("_ = ") :].rstrip("\n")


def as_json(value: Any, secrets: dict[str, str]) -> Any:
    """Give a value with secrets masked and everything odd as text."""
    if isinstance(value, dict):
        return {str(key): as_json(item, secrets) for key, item in dict.items(value)}
    if isinstance(value, (list, tuple)):
        return [as_json(item, secrets) for item in value]
    if isinstance(value, str):
        return masked(value, secrets)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return shown(value, secrets).strip("'")
