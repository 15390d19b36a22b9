"""What a checkpoint of a run holds, key by key, and what becomes of files of other versions.

The version rises when an older reader would misread a file. A reader refuses
versions above its own and says so; for each version below its own there is one
step that lifts a file by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .errors import CheckpointError

FORMAT_VERSION = 1


class Key(NamedTuple):
    """One entry of a checkpoint."""

    holds: str
    by_rank: bool = False  # a list with one entry for each rank


KEYS: Mapping[str, Key] = {
    "format_version": Key("whole number: the version of this table"),
    "meta": Key(
        "`epoch` and `iter` (how many are finished), `seed`, `experiment_name`, `time` "
        "(`20250131_235959`), `cfg` (the config as text, never executed), `world_size`, "
        "`dataset_meta` where the data set has any, entries of the user"
    ),
    "state_dict": Key(
        "weights of the model by name, without wrappers; with an average (EMA) the averaged ones"
    ),
    "ema_state_dict": Key(
        "with an average: the weights that were trained, under `module.`, and its counters"
    ),
    "optimizer": Key("state of the optimizer wrapper; a dict by name where there are several"),
    "param_schedulers": Key("list of the states of the schedules; by name where they are named"),
    "message_hub": Key("histories of scalars, and the facts that are resumed"),
    "loop": Key("finished epochs and iterations, the loader's position, the last validation"),
    "hooks": Key("states of the hooks by class name; a second of a class as `Name_2`"),
    "ranks": Key(
        "`random`: the random generators of the rank; `gradients`: by name, inside an "
        "accumulation group; `batches`: of each optimizer, where there are several",
        by_rank=True,
    ),
}

# For each older version the step to the next one; a step may change the dict it is given.
# Files without a version are those of MMEngine, which have the meaning of version 1 as far as
# they go.
STEPS: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def migrated(
    content: dict[str, Any],
    path: object,
    current: int = FORMAT_VERSION,
    steps: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = STEPS,
) -> dict[str, Any]:
    """The content as the current version has it.

    Raises:
        CheckpointError: the file is of a newer version, or of none that is known.
    """
    version = known_version(content, path, current)
    while version < current:
        content = steps[version](content)
        version += 1
        content["format_version"] = version
    return content


def known_version(content: Mapping[str, Any], name: object, current: int = FORMAT_VERSION) -> int:
    """The version of a file's content; one without a version has the current one.

    Raises:
        CheckpointError: it is newer than ``current``, or not a version.
    """
    version = content.get("format_version", current)
    if type(version) is not int or version < 1:
        raise CheckpointError(
            f"{name} has format version {version!r}, which there never was; it was not written by "
            f"tk-runner, whose versions are 1 to {current}"
        )
    if version > current:
        raise CheckpointError(
            f"{name} has format version {version} and this tk-runner reads up to {current}; "
            "update tk-runner"
        )
    return version
