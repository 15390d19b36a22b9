"""The command that goes on with a run that ended early, as it would be typed."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tk_dist import launcher_environment


def resume_command(
    words: Sequence[str], resumed: object, variables: Mapping[str, str] | None = None
) -> str:
    """The words of the command line with ``--resume`` at the end.

    Args:
        words: of the command line, without the program.
        resumed: what ``--resume`` was in them: a path, True, or None.
        variables: to look at instead of the environment.
    """
    kept: list[str] = []
    skips = False
    for word in words:
        if skips and word == resumed:
            skips = False
            continue
        skips = word == "--resume"
        if not skips and not word.startswith("--resume="):
            kept.append(word)
    by_torchrun = "--nproc-per-node" not in " ".join(words)
    program = _program(os.environ if variables is None else variables, by_torchrun=by_torchrun)
    return shlex.join([*program, *kept, "--resume"])


def _program(variables: Mapping[str, str], *, by_torchrun: bool) -> list[str]:
    called = Path(sys.argv[0]).name
    module = ["python", "-m", "tk_runner"]
    own = module if called in ("__main__.py", "-m", "") else ["tk-runner"]
    launcher = launcher_environment(variables)
    if launcher is None:
        return own
    if launcher.name != "pytorch":
        return [*launcher.command(), *own]
    return [*launcher.command(), *module[1:]] if by_torchrun else ["tk-runner"]
