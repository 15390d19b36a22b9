"""``tk-config convert``: the same config in another format or dialect."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from tk_fileio import atomic_write

from ..config import Config
from ..diff import changes
from ..errors import ConfigFormatError
from ..to_pure_python import pure_python
from .reading import say


def run(args: Namespace) -> int:
    """Write the target file: resolved, or still inheriting with ``--keep-bases``."""
    if args.keep_bases:
        if Path(args.target).suffix != ".py":
            raise ConfigFormatError("--keep-bases writes Python; name a target that ends in .py")
        text = pure_python(args.config, args.target)
        with atomic_write(args.target, mode="w") as file:
            file.write(text)
    else:
        Config.fromfile(args.config, trusted=not args.data_only).dump(args.target)
    say(f"{args.config} -> {args.target}")
    return _compare(args)


def _compare(args: Namespace) -> int:
    """Say where the result differs from what it was made from; gives 1 when it does."""
    if Path(args.target).suffix.lower() != ".py":
        return 0  # a tuple is a list there, which is no mistake
    old = Config.fromfile(args.config, trusted=not args.data_only)
    found = changes(
        old.to_dict(), Config.fromfile(args.target, trusted=not args.data_only).to_dict()
    )
    for change in found:
        print(  # noqa: T201  # it is a command
            f"tk-config: {change.path} is {change.new!r} there, but {change.old!r} in the "
            "original; correct it by hand",
            file=sys.stderr,
        )
    return 1 if found else 0
