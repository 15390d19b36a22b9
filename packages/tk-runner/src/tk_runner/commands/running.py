"""What ``train``, ``val`` and ``test`` share: options, the config made from them, the run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tk_config import Config
from tk_registry import did_you_mean

from .launching import is_launched, launch
from .printing import tell
from .reading import UnusableConfigError, add_config_arguments, read_config, use_working_folder

BAD_USAGE = 2
LAUNCHERS = ("none", "pytorch", "slurm", "mpi")


def add_run_arguments(parser: argparse.ArgumentParser, *, takes_checkpoint: bool) -> None:
    """The options of a run."""
    add_config_arguments(parser)
    if takes_checkpoint:
        parser.add_argument("checkpoint", nargs="?", help="file whose weights are evaluated")
    parser.add_argument(
        "--resume",
        nargs="?",
        const=True,
        metavar="PATH",
        help="go on from a checkpoint; without PATH from the newest whole one of the work folder",
    )
    parser.add_argument("--amp", action="store_true", help="train with mixed precision")
    parser.add_argument("--seed", type=int, help="of every random number of the run")
    parser.add_argument(
        "--nproc-per-node",
        type=_count,
        metavar="N",
        help="start N processes on this machine, one for each accelerator",
    )
    parser.add_argument(
        "--launcher",
        choices=LAUNCHERS,
        help="who started the processes; found out where it is not given",
    )


def _count(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes; give 1 or more")
    return number


def run_mode(mode: str, options: argparse.Namespace) -> int:
    """Train, validate or test; the exit code comes back."""
    use_working_folder()
    try:
        cfg = _completed(read_config(options), options)
    except UnusableConfigError as error:
        tell(f"error: {error}")
        return BAD_USAGE
    if options.nproc_per_node is not None and not is_launched():
        return launch(options.words, options.nproc_per_node)
    from .execution import execute  # loads torch, 1.2 s: not for a config that cannot be read

    return execute(mode, cfg, options)


def _completed(cfg: Config, options: argparse.Namespace) -> Config:
    """The config with what the options say about the run."""
    if options.seed is not None:
        cfg.randomness = {**(cfg.get("randomness") or {}), "seed": options.seed}
    if options.amp:
        _use_mixed_precision(cfg)
    if options.resume is not None:
        cfg.resume = options.resume
        cfg.load_from = None
    checkpoint = getattr(options, "checkpoint", None)
    if checkpoint is not None:
        cfg.load_from = checkpoint
        cfg.resume = False
    for path in (options.resume, checkpoint):
        _require_file(path)
    return cfg


def _use_mixed_precision(cfg: Config) -> None:
    wrapper = cfg.get("optim_wrapper")
    if not isinstance(wrapper, Mapping):
        raise UnusableConfigError(
            "--amp changes optim_wrapper, which the config does not have; leave --amp out, or give "
            "the config one"
        )
    kind: Any = wrapper.get("type", "OptimWrapper")
    if kind == "AmpOptimWrapper":
        return
    if kind != "OptimWrapper":
        raise UnusableConfigError(
            f"--amp turns an OptimWrapper into an AmpOptimWrapper, and optim_wrapper.type is "
            f"{kind!r}; leave --amp out, or set the type in the config"
        )
    wrapper["type"] = "AmpOptimWrapper"  # type: ignore[index]  # a node of the config


def _require_file(path: Any) -> None:
    """A local checkpoint that is named must be there; the nearest name of its folder helps."""
    if not isinstance(path, str) or "://" in path or Path(path).is_file():
        return
    folder = Path(path).parent
    names = sorted(one.name for one in folder.glob("*.pth")) if folder.is_dir() else []
    hint = did_you_mean(Path(path).name, names) if names else "its folder has no checkpoint"
    raise UnusableConfigError(f"there is no checkpoint {path}; {hint}")
