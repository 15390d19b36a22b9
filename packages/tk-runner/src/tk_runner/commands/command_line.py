"""The command line as a whole: which subcommand, its options, near names for slips.

Exit codes: 0 done, 1 failed, 2 bad usage or config, 128 + signal stopped and
saved, 75 stopped by a time budget or a STOP file and saved.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from tk_registry import did_you_mean

INTERRUPTED = 130
SUBCOMMANDS = {
    "train": "train a model as a config says",
    "val": "evaluate on the validation data",
    "test": "evaluate on the test data",
    "check": "find every mistake of a config; nothing is built",
    "ckpt": "list, show, verify, convert and average checkpoints",
    "env": "show the machine and the installed versions",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``tk-runner``; its exit code comes back.

    Raises:
        SystemExit: the usage is wrong (code 2), or help was asked for (code 0).
    """
    words = list(sys.argv[1:] if argv is None else argv)
    parser = _parser(words)
    options = parser.parse_args(words)
    options.words = words
    try:
        return int(_module(options.command).run(options))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - nobody reads any more
        return 0


def _module(name: str) -> Any:
    return importlib.import_module(f".{name}", __package__)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """A parser that knows the options of the subcommand that is used, and of no other."""
    parser = _Parser(
        prog="tk-runner",
        description="Train, validate and test PyTorch models from a config.",
        epilog="exit codes: 0 done, 1 failed, 2 bad usage or config, 128 + signal stopped and "
        "saved, 75 stopped by a time budget or a STOP file and saved",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    used = next((word for word in words if not word.startswith("-")), None)
    for name, text in SUBCOMMANDS.items():
        one = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        one.resumes = "--resume" in words
        if name == used:
            _module(name).add_arguments(one)
    return parser


class _Parser(argparse.ArgumentParser):
    """A parser whose errors name the nearest subcommand or option."""

    resumes: bool = False  # whether --resume is among the words

    def error(self, message: str) -> NoReturn:
        """Print usage and message, and exit with 2."""
        super().error(f"{message}{self._hint(message)}")

    def _hint(self, message: str) -> str:
        """``"; did you mean ...?"`` for the first word of the message that is a slip."""
        choice = re.search(r"invalid choice: '([^']*)'", message)
        if choice:
            return _near(choice[1], list(SUBCOMMANDS))
        if "required: config" in message and self.resumes:
            return "; write the config before --resume, which takes the next word as its PATH"
        known = _options_of(self)
        for word in re.findall(r"(?<!\S)--[\w-]+", message):
            if word not in known:
                return _near(word, known)
        return ""


def _near(word: str, known: Sequence[str]) -> str:
    hint = did_you_mean(word, known, "")
    return f"; {hint}" if hint else ""


def _options_of(parser: argparse.ArgumentParser) -> list[str]:
    names: list[str] = []
    for action in parser._actions:
        names += action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                names += _options_of(one)
    return names


class _Version(argparse.Action):
    def __init__(self, option_strings: Sequence[str], dest: str, **kwargs: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version")

    def __call__(self, parser: argparse.ArgumentParser, *args: Any, **kwargs: Any) -> None:
        from importlib.metadata import version  # slow, and seldom asked

        sys.stdout.write(f"tk-runner {version('tk-runner')}\n")
        parser.exit()
