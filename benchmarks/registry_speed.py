"""tk-registry beside mmengine and catalogue: import, first look-up, look-up, build.

Run with an interpreter that has the peers:

    python benchmarks/registry_speed.py
"""

from __future__ import annotations

import argparse

import catalogue
import mmengine.registry as theirs
from paired import paired, paired_programs, show

import tk_registry as ours

NUM_CLASSES = 10_000

IMPORT = (
    "import time; start = time.process_time(); import {module}; print(time.process_time() - start)"
)
FIRST = """
import time
{setup}
start = time.process_time()
found = {look_up}
print(time.process_time() - start)
assert found is dict
"""
FIRST_LOOK_UPS = {
    "tk": FIRST.format(
        setup="from tk_registry import MODELS; MODELS.register_module('D', module=dict)",
        look_up="MODELS.get('D')",
    ),
    "mmengine": FIRST.format(
        setup="from mmengine.registry import MODELS; MODELS.register_module('D', module=dict)",
        look_up="MODELS.get('D')",
    ),
    "catalogue": FIRST.format(
        setup="import catalogue; R = catalogue.create('a', 'b'); R.register('D', func=dict)",
        look_up="R.get('D')",
    ),
}


class Small:
    """What is looked up and built."""

    def __init__(self, width: int = 1, depth: int = 1) -> None:
        self.width = width
        self.depth = depth


def family(package: object) -> tuple[object, object]:
    """The root and the lowest of three generations, with many names in the root."""
    root = package.Registry("layer", scope="base")
    middle = package.Registry("layer", parent=root, scope="mid")
    low = package.Registry("layer", parent=middle, scope="low")
    for number in range(NUM_CLASSES):
        root.register_module(f"Small{number}", module=Small)
    low.register_module("Deep", module=Small)
    return root, low


def many() -> object:
    """The same names in a catalogue."""
    table = catalogue.create("benchmark", "layers")
    for number in range(NUM_CLASSES):
        table.register(f"Small{number}", func=Small)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    repeats = parser.parse_args().repeats

    imports = {
        "tk": IMPORT.format(module="tk_registry"),
        "mmengine": IMPORT.format(module="mmengine.registry"),
        "catalogue": IMPORT.format(module="catalogue"),
    }
    show("import, fresh interpreter", paired_programs(imports, repeats), "mmengine", {"tk": 0.10})
    first = paired_programs(FIRST_LOOK_UPS, min(repeats, 5))
    show("first look-up, fresh interpreter", first, "mmengine", {})
    met = "met" if first["tk"].median <= 1e-3 else "MISSED"
    print(f"  first look-up in {first['tk'].median * 1e3:.3f} ms (goal <= 1 ms: {met})")

    (our_root, our_low), (their_root, their_low), table = family(ours), family(theirs), many()
    cfg = {"type": "Small77", "width": 3, "depth": 2}

    looked_up = paired(
        {
            "tk": lambda: our_root.get("Small77"),
            "mmengine": lambda: their_root.get("Small77"),
            "catalogue": lambda: table.get("Small77"),
        },
        repeats,
        calls=5_000,
    )
    show("look-up", looked_up, "mmengine", {"tk": 0.20})
    climbed = paired(
        {"tk": lambda: our_low.get("Small77"), "mmengine": lambda: their_low.get("Small77")},
        repeats,
        calls=5_000,
    )
    show("look-up found in the grandparent", climbed, "mmengine", {"tk": 0.20})
    scoped = paired(
        {
            "tk": lambda: our_root.get("mid.low.Deep"),
            "mmengine": lambda: their_root.get("mid.low.Deep"),
        },
        repeats,
        calls=2_000,
    )
    show("look-up by scope, mid.low.Deep", scoped, "mmengine", {"tk": 0.05})
    built = paired(
        {
            "direct call": lambda: Small(width=3, depth=2),
            "tk": lambda: our_root.build(cfg),
            "mmengine": lambda: their_root.build(cfg),
            "catalogue": lambda: table.get(cfg["type"])(width=cfg["width"], depth=cfg["depth"]),
        },
        repeats,
        calls=5_000,
    )
    show("build of a small class", built, "mmengine", {"tk": 0.20})
    with (
        ours.DefaultScope.overwrite_default_scope("base"),
        theirs.DefaultScope.overwrite_default_scope("base"),
    ):
        under_scope = paired(
            {"tk": lambda: our_root.build(cfg), "mmengine": lambda: their_root.build(cfg)},
            repeats,
            calls=2_000,
        )
    show("build of a small class under a default scope", under_scope, "mmengine", {"tk": 0.20})


if __name__ == "__main__":
    main()
