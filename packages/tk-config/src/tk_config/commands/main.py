"""The command ``tk-config``: show, why, diff, check, convert.

Exit codes: 0 done, 1 failed, 2 bad usage or config, 130 stopped by Ctrl-C. Each
subcommand is imported when it is used, so that ``--help`` costs nothing.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from ..errors import ConfigError, ConfigWarning
from ..options.dict_action import DictAction
from ..reading.blame import place_in_config
from ..tree.suggestions import suggestion

DONE, FAILED, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130
_FORMATS = ("py", "yaml", "json")


class _Parser(argparse.ArgumentParser):
    """A parser whose errors give the nearest subcommand or option."""

    def error(self, message: str) -> NoReturn:
        if message.startswith("argument -"):
            super().error(message)  # the option is known, and its value is no name of ours
        known = [*_SUBCOMMANDS, *_option_names(self)]
        words = [word.strip("'\",()") for word in message.replace("=", " ").split()]
        hints = (suggestion(word, known, "") for word in words if word not in known)
        advice = next(filter(None, hints), "")
        super().error(f"{message}; {advice}" if advice else message)


def _option_names(parser: argparse.ArgumentParser) -> set[str]:
    names = {option for action in parser._actions for option in action.option_strings}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            names.update(*map(_option_names, action.choices.values()))
    return names


_SUBCOMMANDS = {
    "show": "print the resolved config",
    "why": "tell where a value comes from, step by step",
    "diff": "compare two configs key by key",
    "check": "look for mistakes: syntax, bases, misspelt and deprecated keys",
    "convert": "write a config in another format or dialect",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code."""
    args = _parser().parse_args(argv)
    if not args.data_only:
        _use_working_folder()
    formatted = warnings.formatwarning
    warnings.formatwarning = _as_line
    try:
        run = importlib.import_module(f".{args.command}", __package__).run
        return int(run(args))
    except (ConfigError, FileNotFoundError) as error:
        print(f"tk-config: {error}", file=sys.stderr)  # noqa: T201  # it is a command
        return BAD_USAGE
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  # nobody reads any more
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        print(f"tk-config: {error}", file=sys.stderr)  # noqa: T201
        return FAILED
    except Exception as error:  # a config's own code may raise anything
        place = place_in_config(error)
        if place is None:
            raise
        text = f"{place}: {type(error).__name__}: {error}; correct that line of the config"
        print(f"tk-config: {text}", file=sys.stderr)  # noqa: T201
        return BAD_USAGE
    finally:
        warnings.formatwarning = formatted


def _as_line(message: Warning | str, category: type[Warning], *place: Any, **line: Any) -> str:
    """A warning about a config in one line, without the line of ours that gave it."""
    if issubclass(category, ConfigWarning):
        return f"tk-config: warning: {message}\n"
    return f"{place[0]}:{place[1]}: {category.__name__}: {message}\n"


def _use_working_folder() -> None:
    """Let a config's own modules be imported from where the command was given.

    ``python -m tk_config`` puts the folder on the path, a script does not; here
    both are the same.
    """
    folder = os.getcwd()  # noqa: PTH109  # pathlib is not needed otherwise
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="tk-config",
        description="Look at configs: resolved values, where they come from, what is wrong.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    subcommands = {
        name: commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        for name, text in _SUBCOMMANDS.items()
    }
    for name in ("show", "why"):
        subcommands[name].add_argument("config", help="config file")
    subcommands["why"].add_argument("path", help="dotted path of the value, such as optimizer.lr")
    subcommands["show"].add_argument("path", nargs="?", help="dotted path of the part to show")
    subcommands["show"].add_argument("--format", choices=_FORMATS, default="py", help="default: py")
    subcommands["diff"].add_argument("old", help="config file")
    subcommands["diff"].add_argument("new", help="config file")
    subcommands["check"].add_argument("configs", nargs="+", metavar="config", help="config files")
    subcommands["convert"].add_argument("config", help="config file")
    subcommands["convert"].add_argument("target", help="file to write; its ending gives the format")
    subcommands["convert"].add_argument(
        "--keep-bases",
        action="store_true",
        help="keep inheriting: rewrite a _base_ config as one of the pure-Python dialect",
    )
    for name, command in subcommands.items():
        if name != "convert":
            command.add_argument("--json", action="store_true", help="print JSON")
        command.add_argument(
            "--data-only", action="store_true", help="read as data: run no code of the file"
        )
        command.add_argument(
            "--root",
            help="with --data-only, the folder in which bases must lie (default: the outermost "
            "folder called configs, else the package, else the working copy)",
        )
        if name in ("show", "why"):
            command.add_argument(
                "--cfg-options",
                nargs="+",
                action=DictAction,
                metavar="KEY=VALUE",
                help="overrides, such as model.depth=50 steps.0=[1,2]",
            )
    return parser


class _Version(argparse.Action):
    def __init__(self, option_strings: Sequence[str], dest: str, **kwargs: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version")

    def __call__(self, parser: argparse.ArgumentParser, *args: Any, **kwargs: Any) -> None:
        from importlib.metadata import version  # slow, and seldom asked

        print(f"tk-config {version('tk-config')}")  # noqa: T201
        parser.exit()
