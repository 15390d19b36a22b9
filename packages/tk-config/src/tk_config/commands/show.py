"""``tk-config show``: the resolved config."""

from __future__ import annotations

from argparse import Namespace

from ..config import Config
from ..tree.paths import value_at
from .printing import as_json, read, say, say_json, shown


def run(args: Namespace) -> int:
    """Print a config, or a part of it."""
    cfg = read(args)
    part = value_at(cfg._cfg_dict, args.path) if args.path else cfg._cfg_dict
    if args.json:
        say_json(as_json(part, cfg._shown_as_references))
    elif not isinstance(part, dict):
        say(shown(part, cfg._shown_as_references))
    elif args.format == "py":
        say(_part(cfg, part).pretty_text)
    else:
        say(_part(cfg, part).dump_text(f".{args.format}"))
    return 0


def _part(cfg: Config, part: object) -> Config:
    made = cfg.copy()
    made.__dict__["_cfg_dict"] = part
    return made
