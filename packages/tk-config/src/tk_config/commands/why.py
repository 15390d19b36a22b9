"""``tk-config why``: where one value comes from."""

from __future__ import annotations

import linecache
from argparse import Namespace
from typing import Any

from ..tree.paths import value_at
from .printing import as_json, read, say, say_json, shown


def run(args: Namespace) -> int:
    """Print the value and every step that set it, newest first."""
    cfg = read(args)
    value = value_at(cfg._cfg_dict, args.path)
    origin = cfg.origin(args.path)
    steps = origin.chain() if origin else []
    if args.json:
        listed: list[dict[str, Any]] = [
            {"kind": step.kind, "file": step.file, "line": step.line, "text": str(step)}
            for step in steps
        ]
        say_json(
            {
                "path": args.path,
                "value": as_json(value, cfg._shown_as_references),
                "origins": listed,
            }
        )
        return 0
    say(f"{args.path} = {shown(value, cfg._shown_as_references)}")
    for index, step in enumerate(steps):
        say(f"  {'set by' if index == 0 else 'replacing'} {step}{_source_line(step)}")
    if not steps:
        say("  nothing is known about where it was set")
    return 0


def _source_line(step: Any) -> str:
    """Show the line itself, which says more than its number."""
    if step.file is None or step.line is None:
        return ""
    line = linecache.getline(step.file, step.line).strip()
    return f"    {line}" if line else ""
