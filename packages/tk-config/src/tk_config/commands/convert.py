"""``tk-config convert``: the same config in another format or dialect."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

from tk_fileio import atomic_write

from ..config import Config
from ..errors import ConfigFormatError
from ..reading.load import load_text
from ..reading.source_file import Rules
from ..tree.config_dict import ConfigDict
from ..writing.diff import changes
from ..writing.pure_python import pure_python
from .printing import read, say


def run(args: Namespace) -> int:
    """Write the target file: resolved, or still inheriting with ``--keep-bases``."""
    cfg = read(args)  # first of all, so that nothing is written for what cannot be read
    if not args.keep_bases:
        cfg.dump(args.target)
        say(f"{args.config} -> {args.target}")
        is_python = Path(args.target).suffix.lower() == ".py"  # elsewhere tuples become lists
        return _compare(cfg, read(args, args.target)._cfg_dict) if is_python else 0
    if Path(args.target).suffix != ".py":
        raise ConfigFormatError("--keep-bases writes Python; name a target that ends in .py")
    rules = Rules(trusted=not args.data_only, root=args.root)
    text = pure_python(args.config, args.target, rules)
    target = os.path.abspath(args.target)  # noqa: PTH100
    converted = load_text(text, ".py", rules, target).tree
    with atomic_write(args.target, mode="w") as file:
        file.write(text)
    say(f"{args.config} -> {args.target}")
    return _compare(cfg, converted)


def _compare(cfg: Config, converted: ConfigDict) -> int:
    """Say where the result differs from what it was made from; gives 1 when it does."""
    differences = changes(cfg.to_dict(), converted.to_dict())
    for change in differences:
        print(  # noqa: T201  # it is a command
            f"tk-config: {change.path} is {change.new!r} there, but {change.old!r} in the "
            "original; correct it by hand",
            file=sys.stderr,
        )
    return 1 if differences else 0
