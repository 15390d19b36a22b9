"""The config of a command line: read, overridden, completed."""

from __future__ import annotations

import argparse
import sys
import traceback
import warnings
from pathlib import Path

from tk_config import Config, ConfigError, DictAction
from tk_registry import did_you_mean

from .printing import tell

SUFFIXES = (".py", ".yaml", ".yml", ".json", ".toml")


class UnusableConfigError(Exception):
    """The config cannot be read; the text says what to do."""


def add_config_arguments(parser: argparse.ArgumentParser) -> None:
    """The config file and its overrides."""
    parser.add_argument("config", help="config file: .py, .yaml, .json or .toml")
    parser.add_argument(
        "--cfg-options",
        nargs="+",
        action=DictAction,
        metavar="KEY=VALUE",
        help="overrides, such as optim_wrapper.optimizer.lr=0.01 model.stages.0=[1,2]",
    )
    parser.add_argument("--work-dir", help="where checkpoints and logs go")


def use_working_folder() -> None:
    """Let the config's own modules be imported from where the command was given.

    ``python -m tk_runner`` puts the folder on the path, a script does not; here
    both are the same.
    """
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)


def read_config(options: argparse.Namespace) -> Config:
    """The config with the overrides, and with a work folder.

    Raises:
        UnusableConfigError: it is not there, cannot be understood, or an override does not fit.
    """
    if not Path(options.config).is_file():
        raise UnusableConfigError(_missing(Path(options.config)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cfg = _read(options)
    for warning in caught:
        tell(f"warning: {warning.message}")
    if options.work_dir is not None:
        cfg.work_dir = options.work_dir
    elif cfg.get("work_dir") is None:
        cfg.work_dir = str(Path("work_dirs") / Path(options.config).stem)
    return cfg


def _read(options: argparse.Namespace) -> Config:
    try:
        cfg = Config.fromfile(options.config)
        if options.cfg_options:
            cfg.merge_from_dict(options.cfg_options, strict=True)
    except (ConfigError, OSError) as error:
        raise UnusableConfigError(str(error)) from error
    except Exception as error:  # code of the config, which may raise anything
        name = type(error).__name__
        raise UnusableConfigError(f"{name}: {error}{_place_in(error)}") from error
    return cfg


def _place_in(error: BaseException) -> str:
    """Where it was raised, for errors in code of the config or of what it imports."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "tk_config" not in Path(frame.filename).parts]
    return f" ({own[-1].filename}:{own[-1].lineno})" if own else ""


def _missing(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"there is no config {path}: the folder {folder} does not exist in {Path.cwd()}"
    names = sorted(one.name for one in folder.iterdir() if one.suffix in SUFFIXES)
    hint = did_you_mean(path.name, names) if names else "there is no config in that folder"
    return f"there is no config {path}; {hint}"
