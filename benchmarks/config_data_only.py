"""How many real configs can be read as data, and give what running them gives.

Takes folders, such as ``<package>/.mim/configs`` of installed packages or of unpacked
wheels, and reads every config file below them twice: trusted, which runs its code, and as
data, which does not. So name only folders whose configs you would run.

    python benchmarks/config_data_only.py FOLDER... [--all]
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tk_config import Config
from tk_config.writing.diff import changes

GOAL = 0.95
SUFFIXES = {".py", ".yaml", ".yml", ".json", ".toml"}
SHOWN = 10


class Outcome(NamedTuple):
    """What happened to one config."""

    path: Path
    kind: str
    """``equal``, ``differs``, ``refused``, or ``unreadable`` where running it fails, too."""
    reason: str


def main() -> None:
    """Print the figures of each folder, and every config that is not read equally."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--all", action="store_true", help="list every config that differs")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    outcomes: list[Outcome] = []
    for folder in args.folders:
        found = [outcome_of(path) for path in config_files(folder)]
        print(f"{folder}: {figures(found)}")
        outcomes += found
    print(f"\ntogether: {figures(outcomes)}")
    for kind in ("differs", "refused", "unreadable"):
        report(kind, [outcome for outcome in outcomes if outcome.kind == kind], show_all=args.all)


def config_files(folder: Path) -> list[Path]:
    """List the config files below a folder; the metafiles of packages are no configs."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in SUFFIXES and path.is_file() and not is_metafile(path)
    )


def is_metafile(path: Path) -> bool:
    """Tell whether a file describes a package or its models, and is no config."""
    return path.name == "__init__.py" or bool(
        re.match(r"(metafile|model-index|dataset-index)", path.name)
    )


def outcome_of(path: Path) -> Outcome:
    """Read one config in both ways and compare."""
    try:
        trusted = Config.fromfile(path, import_custom_modules=False).to_dict()
    except Exception as error:  # code of the config may raise anything
        return Outcome(path, "unreadable", f"{type(error).__name__}: {error}")
    try:
        data = Config.fromfile(path, trusted=False).to_dict()
    except Exception as error:
        return Outcome(path, "refused", str(error))
    differences = changes(trusted, data)
    if not differences:
        return Outcome(path, "equal", "")
    first = differences[0]
    return Outcome(
        path, "differs", f"{first.path}: {first.old!r:.80} trusted, {first.new!r:.80} as data"
    )


def figures(outcomes: list[Outcome]) -> str:
    """Say how many configs are equal among those that can be run."""
    kinds = Counter(outcome.kind for outcome in outcomes)
    runnable = len(outcomes) - kinds["unreadable"]
    share = kinds["equal"] / runnable if runnable else 1.0
    return (
        f"{kinds['equal']} of {runnable} equal, {share:.1%} (goal >= {GOAL:.0%}: "
        f"{'met' if share >= GOAL else 'MISSED'}); {kinds['differs']} differ, "
        f"{kinds['refused']} refused; {kinds['unreadable']} cannot be run either"
    )


def report(kind: str, outcomes: list[Outcome], *, show_all: bool) -> None:
    """List configs with the reasons."""
    if outcomes:
        print(f"\n{kind}:")
    for outcome in outcomes if show_all else outcomes[:SHOWN]:
        print(f"  {outcome.path}\n    {outcome.reason[:300]}")
    if len(outcomes) > SHOWN and not show_all:
        print(f"  and {len(outcomes) - SHOWN} more; --all lists them")


if __name__ == "__main__":
    main()
