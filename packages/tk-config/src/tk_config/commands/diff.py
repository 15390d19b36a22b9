"""``tk-config diff``: two configs key by key."""

from __future__ import annotations

from argparse import Namespace

from ..config import Config
from ..writing.diff import Change, changes
from .printing import as_json, read, say, say_json, shown


def run(args: Namespace) -> int:
    """Print what was added, removed, changed and moved."""
    old, new = read(args, args.old), read(args, args.new)
    found = changes(old._cfg_dict, new._cfg_dict)
    secrets = {**old._shown_as_references, **new._shown_as_references}
    if args.json:
        say_json(
            [
                {
                    "kind": change.kind,
                    "path": change.path,
                    "old_path": change.old_path,
                    "old": as_json(change.old, secrets),
                    "new": as_json(change.new, secrets),
                    "old_origin": _origin(old, change.old_path or change.path),
                    "new_origin": _origin(new, change.path),
                }
                for change in found
            ]
        )
        return 0
    for change in found:
        say(_line(change, secrets, old, new))
    if not found:
        say("the configs are equal")
    return 0


def _line(change: Change, secrets: dict[str, str], old: Config, new: Config) -> str:
    place = _origin(old if change.kind == "removed" else new, change.path)
    end = f"    ({place})" if place else ""
    if change.kind == "added":
        return f"+ {change.path} = {shown(change.new, secrets)}{end}"
    if change.kind == "removed":
        return f"- {change.path} = {shown(change.old, secrets)}{end}"
    if change.kind == "moved":
        return f"> {change.old_path} -> {change.path}{end}"
    return f"~ {change.path}: {shown(change.old, secrets)} -> {shown(change.new, secrets)}{end}"


def _origin(cfg: Config, path: str) -> str | None:
    return cfg.__config_origin__(path)
