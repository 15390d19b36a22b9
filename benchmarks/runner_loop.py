"""What a training loop adds to its steps: over a bare loop, beside other loops with the same log.

    python benchmarks/runner_loop.py [--losses 20] [--repeats 7] [--subjects bare tk mmengine]

Needs an interpreter with mmengine; Ignite, Lightning with its Fabric, and Accelerate
are shown where they are installed. Goal: at most 0.25 of what MMEngine adds.
"""

from __future__ import annotations

import argparse
import importlib.util

from runner_job import SUBJECTS, measure, show_over_bare, verdict
from runner_peers import PEERS

GOAL = 0.25


def main() -> None:
    for name, (package, train) in PEERS.items():
        if importlib.util.find_spec(package) is not None:
            SUBJECTS[name] = train
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--losses", type=int, default=1)
    options.add_argument("--repeats", type=int, default=7)
    options.add_argument("--subjects", nargs="+", default=list(SUBJECTS), choices=list(SUBJECTS))
    chosen = options.parse_args()
    names = dict.fromkeys(("bare", "mmengine", "tk", *chosen.subjects))
    for interval in (10, 50):
        found = measure(names, chosen.losses, interval, repeats=chosen.repeats)
        print(f"\nlog every {interval}, {chosen.losses} losses, CPU us an iteration")
        show_over_bare(found)
        theirs = found["mmengine"] - found["bare"]
        for name in names:
            ratio = (found[name] - found["bare"]) / theirs
            goal = f" ({verdict(ratio, GOAL)})" if name == "tk" else ""
            print(f"  {name:<10} adds {ratio:5.2f} of what mmengine adds{goal}")


if __name__ == "__main__":
    main()
