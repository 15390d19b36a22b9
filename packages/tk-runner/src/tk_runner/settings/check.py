"""The settings of a run read before anything is built: all mistakes at once."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tk_config import Config
from tk_registry import RUNNERS, did_you_mean

from .components import component_problems
from .mistake import ConfigMistake
from .run_settings import RunSettings

# Keys that configs hold beside the runner's arguments; a key near one of ours is a slip.
ALSO_KNOWN = ("custom_imports", "runner_type", "tta_model", "tta_pipeline")
NEAR = 0.85


def settings_problems(settings: RunSettings) -> list[ConfigMistake]:
    """Every mistake that can be found without building, with file and line where there are."""
    found = [*settings.problems(), *component_problems(settings)]
    return [_with_origin(mistake, settings.cfg) for mistake in found]


def config_problems(cfg: Config, known: Collection[str]) -> list[ConfigMistake]:
    """Every mistake of a config that can be found without building.

    Args:
        cfg: the config.
        known: the arguments of the runner, see `runner_arguments`.
    """
    settings = RunSettings.of({**dict(cfg), "cfg": cfg})
    found = [*_misspelt(cfg, [*known, *ALSO_KNOWN]), *_runner_type_problems(cfg)]
    found += _missing_files(settings)
    return [*(_with_origin(mistake, cfg) for mistake in found), *settings_problems(settings)]


def settings_without_effect(settings: RunSettings, *, world_size: int, runner: str) -> list[str]:
    """A sentence about each setting that real configs have and that this run does not use.

    Args:
        settings: of the run.
        world_size: processes of the run.
        runner: name of the class of the run.
    """
    sentences = []
    if settings.placement.model_wrapper_cfg is not None and world_size == 1:
        sentences.append("model_wrapper_cfg has no effect on one process")
    wanted = settings.cfg.get("runner_type")
    if wanted is not None and str(wanted).rpartition(".")[2] != runner:
        sentences.append(
            f"runner_type={wanted!r} has no effect on a {runner}; use RUNNERS.build(cfg) or the "
            "command tk-runner"
        )
    tta = [name for name in ("tta_model", "tta_pipeline") if name in settings.cfg]
    hooks = settings.hooks.custom if isinstance(settings.hooks.custom, (list, tuple)) else ()
    has_hook = any(
        isinstance(hook, Mapping) and "PrepareTTAHook" in str(hook.get("type")) for hook in hooks
    )
    if tta and not has_hook:
        sentences.append(
            f"nothing reads {' and '.join(tta)}; a test with augmentation needs "
            "PrepareTTAHook in custom_hooks, and the pipeline in test_dataloader"
        )
    return sentences


def runner_arguments(runner: type) -> list[str]:
    """The names of the arguments that a config may give to ``runner``."""
    names = list(inspect.signature(runner).parameters)
    return [name for name in names if name != "cfg"]


def _with_origin(mistake: ConfigMistake, cfg: Config) -> ConfigMistake:
    if mistake.origin is not None or not mistake.path:
        return mistake
    return replace(mistake, origin=cfg.__config_origin__(mistake.path))


def _misspelt(cfg: Config, known: Sequence[str]) -> list[ConfigMistake]:
    """Keys that are near one of ours which the config lacks; others are the user's variables."""
    missing = [name for name in known if name not in cfg]
    found = []
    for key in cfg:
        hint = did_you_mean(key, missing, "", cutoff=NEAR)
        if key not in known and hint:
            found.append(ConfigMistake(f"nothing reads it; {hint}", str(key)))
    return found


def _runner_type_problems(cfg: Config) -> list[ConfigMistake]:
    name: Any = cfg.get("runner_type")
    if name is None or (isinstance(name, str) and RUNNERS.get(name) is not None):
        return []
    hint = did_you_mean(str(name), list(RUNNERS.module_dict))
    return [ConfigMistake(f"no runner is called {name!r}; {hint}", "runner_type")]


def _missing_files(settings: RunSettings) -> list[ConfigMistake]:
    """Local checkpoints that are named and are not there; a run finds others when it begins."""
    found = []
    named: Mapping[str, Any] = {
        "resume": settings.start.resume,
        "load_from": settings.start.load_from,
    }
    for path, value in named.items():
        if not isinstance(value, str) or "://" in value or Path(value).exists():
            continue
        folder = Path(value).parent
        names = sorted(file.name for file in folder.glob("*.pth")) if folder.is_dir() else []
        hint = did_you_mean(Path(value).name, names, "its folder has no checkpoint")
        found.append(ConfigMistake(f"there is no checkpoint {value}; {hint}", path))
    return found
