"""The command ``tk-runner``, also as ``python -m tk_runner``."""

from __future__ import annotations

import sys

from .commands.command_line import main

if __name__ == "__main__":
    sys.exit(main())
