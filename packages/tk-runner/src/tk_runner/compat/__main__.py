"""``python -m tk_runner.compat script.py ...``: run a program for MMEngine on the tk packages."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from .hook import install

USAGE = """usage: python -m tk_runner.compat SCRIPT [ARGUMENT ...]
       python -m tk_runner.compat -m MODULE [ARGUMENT ...]

Run a program that was written for MMEngine on the tk packages, unchanged:
`import mmengine` gives their names. Arguments go to the program."""


def main(arguments: Sequence[str]) -> int:
    """Run the program as Python itself would; 2 where the call was wrong."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)  # noqa: T201 - a command talks
        return 0 if arguments else 2
    install()
    if arguments[0] == "-m":
        if len(arguments) < 2:
            print(USAGE, file=sys.stderr)  # noqa: T201 - a command talks
            return 2
        sys.argv = list(arguments[1:])
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return 0
    script = Path(arguments[0])
    if not script.is_file():
        print(f"there is no file {script}; give a script, or -m and a module", file=sys.stderr)  # noqa: T201 - a command talks
        return 2
    sys.argv = list(arguments)
    sys.path.insert(0, str(script.resolve().parent))
    runpy.run_path(str(script), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
