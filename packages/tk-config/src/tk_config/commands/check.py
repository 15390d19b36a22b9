"""``tk-config check``: what is wrong with configs, all of it at once."""

from __future__ import annotations

import warnings
from argparse import Namespace

from ..config import Config
from ..errors import ConfigError, ConfigWarning, MisspeltKeyError
from ..reading.blame import place_in_config
from .printing import say, say_json


def run(args: Namespace) -> int:
    """Print every problem of every file; gives 2 when there is one."""
    by_config = {
        config: problems(config, trusted=not args.data_only, root=args.root)
        for config in args.configs
    }
    if args.json:
        say_json(
            [
                {"config": config, "kind": kind, "message": text}
                for config, listed in by_config.items()
                for kind, text in listed
            ]
        )
    else:
        for config, listed in by_config.items():
            say(f"{config}: {'ok' if not listed else f'{len(listed)} problem(s)'}")
            for kind, text in listed:
                say(f"  {kind}: {text}")
    return 2 if any(by_config.values()) else 0


def problems(config: str, *, trusted: bool, root: str | None = None) -> list[tuple[str, str]]:
    """List the problems of one file as pairs of kind and text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        listed = _errors(config, trusted, root)
    for warning in caught:
        if issubclass(warning.category, DeprecationWarning):
            listed.append(("deprecated", str(warning.message)))
        elif issubclass(warning.category, ConfigWarning):
            listed.append(("warning", str(warning.message)))
    return listed


def _errors(config: str, trusted: bool, root: str | None) -> list[tuple[str, str]]:
    try:
        Config.fromfile(
            config, trusted=trusted, strict=True, root=root, import_custom_modules=False
        )
    except MisspeltKeyError as error:
        return [("misspelt", line) for line in str(error).splitlines()]
    except (ConfigError, OSError) as error:
        return [("error", str(error))]
    except Exception as error:  # code of the config itself, which may raise anything
        return [("error", f"{type(error).__name__}: {error} ({place_in_config(error)})")]
    return []
