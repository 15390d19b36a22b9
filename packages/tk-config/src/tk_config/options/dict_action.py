"""Options of programs that take a config: ``--cfg-options model.lr=0.1 stages.0.depth=3``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .option_values import read_value


class CommandLineOptions(dict):  # type: ignore[type-arg]  # keys and values as typed
    """Overrides that a user typed; :meth:`Config.merge_from_dict` records them as such."""


class DictAction(argparse.Action):
    """Collects ``KEY=VALUE`` words into one dict; later keys win, several options add up.

    See :mod:`tk_config.options.option_values` for how values are read.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Add the words of one occurrence of the option."""
        words = [values] if isinstance(values, str) else list(values or ())
        options = CommandLineOptions(getattr(namespace, self.dest, None) or {})
        for word in words:
            key, equals, text = word.partition("=")
            if not equals or not key:
                raise argparse.ArgumentError(self, f"{word!r} is no KEY=VALUE; write model.lr=0.1")
            try:
                options[key] = read_value(text)
            except ValueError as error:
                raise argparse.ArgumentError(self, f"{key}: {error}") from None
        setattr(namespace, self.dest, options)


def add_args(
    parser: argparse.ArgumentParser, cfg: Mapping[str, Any], prefix: str = ""
) -> argparse.ArgumentParser:
    """Add one option for each key of a config, nested ones with dots.

    Args:
        parser: what the options are added to.
        cfg: the config, whose values give the types.
        prefix: put before each name.

    Returns:
        ``parser``.
    """
    for key, value in cfg.items():
        name = f"--{prefix}{key}"
        if isinstance(value, str):
            parser.add_argument(name)
        elif isinstance(value, bool):
            parser.add_argument(name, action="store_true")
        elif isinstance(value, (int, float)):
            parser.add_argument(name, type=type(value))
        elif isinstance(value, Mapping):
            add_args(parser, value, f"{prefix}{key}.")
        elif isinstance(value, Iterable):
            first = next(iter(value), None)
            parser.add_argument(name, nargs="+", type=str if first is None else type(first))
        else:
            import logging  # 5 ms, and seldom needed

            logger = logging.getLogger("tk.config")
            logger.info("the key %s%s has no option, since it is %r", prefix, key, value)
    return parser
