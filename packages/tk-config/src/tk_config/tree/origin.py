"""Where a value comes from.

An :class:`Origin` is one step: a file and line, a command line, a line of code.
It points to the step that it replaced, so the newest one holds the whole chain.
Origins are made by the thousand while loading, therefore they are tuples.
"""

from __future__ import annotations

import os
import sys
from types import CodeType
from typing import Any, NamedTuple

FILE = "file"
OVERRIDE = "override"
COMMAND_LINE = "command line"
CODE = "code"

# the folder of the package; pathlib is slower to import
_HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")  # noqa: PTH100, PTH118, PTH120


class Origin(NamedTuple):
    """One step in the life of a value, newest first.

    Attributes:
        kind: ``"file"``, ``"override"``, ``"command line"`` or ``"code"``.
        name: absolute path of the file, or the words of the command line.
        line: line in that file, 1-based; None where there is none.
        items: for a list written out in a file, the origin lines of its items.
        previous: what was replaced by this step, or None.
    """

    kind: str
    name: str
    line: int | None
    items: tuple[Any, ...] | None = None
    previous: Origin | None = None

    @property
    def file(self) -> str | None:
        """Absolute path of the file; None for a command line."""
        return None if self.kind == COMMAND_LINE else self.name

    def chain(self) -> list[Origin]:
        """List every step, newest first."""
        steps: list[Origin] = []
        step: Origin | None = self
        while step is not None:
            steps.append(step)
            step = step.previous
        return steps

    def __str__(self) -> str:
        if self.kind == COMMAND_LINE:
            return f"command line ({self.name})"
        name = short_path(self.name)
        return name if self.line is None else f"{name}:{self.line}"


def make_origin(
    kind: str,
    name: str,
    line: int | None,
    items: tuple[Any, ...] | None = None,
    previous: Origin | None = None,
) -> Origin:
    """Build an origin by the short way; loading makes one for each key."""
    return tuple.__new__(Origin, (kind, name, line, items, previous))


def after(newer: Origin, older: Origin | None) -> Origin:
    """Chain ``newer`` in front of ``older``, keeping what ``newer`` itself replaced."""
    if older is None or newer == older:
        return newer
    if newer[4] is not None:
        if newer[4] == older:
            return newer
        older = after(newer[4], older)
    return tuple.__new__(Origin, (newer[0], newer[1], newer[2], newer[3], older))


def origin_of_caller(kind: str = CODE) -> Origin:
    """Name the nearest line of code outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_code):
        frame = frame.f_back
    return make_origin(kind, frame.f_code.co_filename, frame.f_lineno)


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(_HERE)


def short_path(name: str) -> str:
    """Show a path relative to the current folder where it lies below it."""
    here = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118
    return name[len(here) :] if name.startswith(here) else name
