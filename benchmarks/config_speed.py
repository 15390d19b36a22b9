"""tk-config beside mmengine, OmegaConf and ml_collections.

Import, load, dump, copy, options, access.

Run with an interpreter that has the peers:

    python benchmarks/config_speed.py
"""

from __future__ import annotations

import argparse
import copy
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import mmengine.config as theirs
from config_files import count_leaves, write_chain, write_flat
from ml_collections import ConfigDict as CollectionsDict
from omegaconf import OmegaConf
from paired import Timing, paired, paired_programs, show

import tk_config as ours

IMPORT = (
    "import time; start = time.process_time(); import {module}; print(time.process_time() - start)"
)
IMPORT_CHECKED = IMPORT.replace("print", "taken =", 1).replace("taken =(", "taken = (") + (
    "; import sys; loaded = [m for m in ('numpy', 'rich', 'torch', 'yaml') if m in sys.modules]; "
    "assert not loaded, loaded; print(taken)"
)
OPTIONS = 20


def main() -> None:
    """Print one table for each figure."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")

    programs = {"tk": IMPORT_CHECKED.format(module="tk_config")}
    programs |= {
        name: IMPORT.format(module=module)
        for name, module in (
            ("mmengine", "mmengine.config"),
            ("OmegaConf", "omegaconf"),
            ("ml_collections", "ml_collections"),
        )
    }
    show("import", paired_programs(programs, repeats), "mmengine", {"tk": 0.20})

    with tempfile.TemporaryDirectory() as folder:
        chain = write_chain(Path(folder))
        flats = {size: write_flat(Path(folder), size) for size in (100, 1000, 5000, 20000)}
        figures_of_chain(chain, repeats)
        figures_of_size(flats, max(3, repeats // 2))


def figures_of_chain(chain: Path, repeats: int) -> None:
    """Time what is done with a chain of inheritance four levels deep."""
    mine, other = ours.Config.fromfile(chain), theirs.Config.fromfile(str(chain))
    plain = other._cfg_dict.to_dict()
    assert mine.to_dict() == plain
    assert ours.Config.fromstring(str(mine.dump()), ".py").to_dict() == plain
    omega, collections = OmegaConf.create(plain), CollectionsDict(plain)
    print(f"\nchain: 7 files, 4 levels, {count_leaves(plain)} values")

    show(
        "load the chain, provenance on",
        paired(
            {
                "tk": lambda: ours.Config.fromfile(chain),
                "tk, as data": lambda: ours.Config.fromfile(chain, trusted=False),
                "mmengine": lambda: theirs.Config.fromfile(str(chain)),
            },
            repeats,
        ),
        "mmengine",
        {"tk": 0.15},
    )
    show(
        "dump it",
        paired(
            {
                "tk": mine.dump,
                "mmengine": other.dump,
                "OmegaConf": lambda: OmegaConf.to_yaml(omega),
                "ml_collections": collections.to_yaml,
            },
            max(3, repeats // 2),
        ),
        "mmengine",
        {"tk": 0.02},
    )
    show(
        "copy it",
        paired(_each(mine, other, omega, collections, copy.deepcopy), repeats, calls=20),
        "mmengine",
        {"tk": 1.0},
    )
    show(
        "a.b.c",
        paired(_each(mine, other, omega, collections, _access), repeats, calls=5000),
        "mmengine",
        {"tk": 0.5},
    )


def figures_of_size(flats: dict[int, Path], repeats: int) -> None:
    """Time what should, and what should not, grow with the number of keys."""
    loads: dict[int, dict[str, Timing]] = {}
    for size, path in flats.items():
        loads[size] = paired(
            {
                "tk": lambda path=path: ours.Config.fromfile(path),
                "mmengine": lambda path=path: theirs.Config.fromfile(str(path)),
            },
            repeats,
        )
        goal = {"tk": 0.20} if size == 20000 else {}
        show(f"load {size} flat keys", loads[size], "mmengine", goal)
        mine, other = ours.Config.fromfile(path), theirs.Config.fromfile(str(path))
        options = {f"key_{index}": index + 1 for index in range(OPTIONS)}
        omega = OmegaConf.create(other._cfg_dict.to_dict())
        collections = CollectionsDict(other._cfg_dict.to_dict())
        show(
            f"{OPTIONS} options into {size} keys",
            paired(
                {
                    "tk": partial(mine.merge_from_dict, options),
                    "mmengine": partial(other.merge_from_dict, options),
                    "OmegaConf": partial(_update_omega, omega, options),
                    "ml_collections": partial(collections.update_from_flattened_dict, options),
                },
                repeats,
                calls=5,
            ),
            "mmengine",
            {"tk": 0.02} if size == 20000 else {},
        )
    per_key = {size: timing["tk"].median / size * 1e6 for size, timing in loads.items()}
    print("\nload, us for each key: " + ", ".join(f"{s}: {v:.2f}" for s, v in per_key.items()))


def _each(
    mine: Any, other: Any, omega: Any, collections: Any, work: Callable[[Any], object]
) -> dict[str, Callable[[], object]]:
    return {
        "tk": lambda: work(mine),
        "mmengine": lambda: work(other),
        "OmegaConf": lambda: work(omega),
        "ml_collections": lambda: work(collections),
    }


def _update_omega(cfg: Any, options: dict[str, Any]) -> None:
    for key, value in options.items():
        OmegaConf.update(cfg, key, value)


def _access(cfg: Any) -> object:
    return cfg.model.backbone.depth


if __name__ == "__main__":
    main()
