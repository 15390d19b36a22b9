"""The text of one file on its way to values: its name, its format, what may be done with it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from ..errors import ConfigFormatError, ConfigSyntaxError, UnsafeConfigError
from ..source.lines import Lines
from ..source.templates import lift_bare
from ..tree.finish import MOST_VALUES
from ..tree.origin import short_path

SUFFIXES = {".py": ".py", ".json": ".json", ".yaml": ".yaml", ".yml": ".yaml", ".toml": ".toml"}
MOST_BYTES_AS_DATA = 1_000_000
MOST_VALUES_AS_DATA = 500_000


@dataclass(frozen=True)
class Rules:
    """What reading may do.

    Attributes:
        trusted: whether Python of a file may run.
        strict: whether misspelt keys are an error.
        lazy: the dialect that the caller asks for; None decides by each file.
        predefined: whether ``{{fileDirname}}`` and its like are replaced.
        environment: whether ``{{$NAME:default}}`` is replaced.
        root: folder in which bases of a file that is read as data must lie; None finds it.
    """

    trusted: bool = True
    strict: bool = False
    lazy: bool | None = None
    predefined: bool = True
    environment: bool = True
    root: str | None = None

    @property
    def most_values(self) -> int:
        """Bound on the number of values of a config."""
        return MOST_VALUES if self.trusted else MOST_VALUES_AS_DATA


@dataclass
class SourceFile:
    """The source of one file, bare templates lifted out."""

    path: str
    """Absolute name, or ``"<text>"``."""
    text: str
    suffix: str
    most_values: int
    code: str = ""
    bare: list[Any] = field(default_factory=list)
    parsed: dict[Any, Any] | None = None
    lines: Lines | None = None

    shown: str = ""
    """The name for errors."""

    def __post_init__(self) -> None:
        self.code, self.bare = lift_bare(self.text, self.suffix)
        self.shown = short_path(self.path)

    @property
    def is_text(self) -> bool:
        """Whether there is no file, only a text."""
        return self.path.startswith("<")


def source_of_file(path: str, rules: Rules) -> SourceFile:
    """Read a file, which is UTF-8 whatever the locale says.

    Raises:
        ConfigFormatError: its ending is none of the formats.
        ConfigSyntaxError: it is not UTF-8.
        UnsafeConfigError: it is read as data, and is too long or not a regular file.
    """
    suffix = suffix_of(path)
    if not rules.trusted:
        if not os.path.isfile(path):  # noqa: PTH113  # pathlib is several times slower
            raise UnsafeConfigError(f"{short_path(path)}: not a regular file")
        if os.path.getsize(path) > MOST_BYTES_AS_DATA:  # noqa: PTH202
            raise too_long(short_path(path))
    try:
        with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123
            text = file.read()
    except UnicodeDecodeError as error:
        raise ConfigSyntaxError(
            f"{short_path(path)}: not UTF-8 text ({error.reason} at byte {error.start}); "
            "save the file as UTF-8"
        ) from error
    return SourceFile(path, text, suffix, rules.most_values)


def source_of_text(text: str, path: str, suffix: str, rules: Rules) -> SourceFile:
    """Take a text as if it stood in a file.

    Raises:
        UnsafeConfigError: it is read as data, and is too long.
    """
    if not rules.trusted and len(text) > MOST_BYTES_AS_DATA:
        raise too_long("<text>")
    return SourceFile(path, text, suffix, rules.most_values)


def suffix_of(path: str) -> str:
    """Give the format of a file name.

    Raises:
        ConfigFormatError: its ending is none of the formats.
    """
    suffix = os.path.splitext(path)[1].lower()  # noqa: PTH122
    if suffix not in SUFFIXES:
        problem = f"{suffix!r} is not a config format" if suffix else "the file name has no ending"
        raise ConfigFormatError(
            f"{short_path(path)}: {problem}; use a file that ends in .py, .yaml, .yml, .json "
            "or .toml"
        )
    return SUFFIXES[suffix]


def too_long(shown: str) -> UnsafeConfigError:
    """Build the error for a text that is too long to be read as data."""
    return UnsafeConfigError(
        f"{shown}: longer than {MOST_BYTES_AS_DATA} bytes, which is too long to be read as data; "
        "load the file with trusted=True if you trust it"
    )
