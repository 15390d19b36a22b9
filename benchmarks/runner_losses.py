"""What one more logged loss costs an iteration: 20 losses against 1, beside MMEngine's.

    python benchmarks/runner_losses.py [--repeats 7]

Needs an interpreter with mmengine. Goal: at most 0.10 of what it costs there.
"""

from __future__ import annotations

import argparse

from runner_job import measure, verdict

FEW, MANY = 1, 20
GOAL = 0.10


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--repeats", type=int, default=7)
    chosen = options.parse_args()
    few = measure(("mmengine", "tk"), FEW, 50, repeats=chosen.repeats)
    many = measure(("mmengine", "tk"), MANY, 50, repeats=chosen.repeats)
    each = {name: (many[name] - few[name]) / (MANY - FEW) for name in few}
    print("\none more logged loss, log every 50, CPU us an iteration")
    for name, figure in each.items():
        print(f"  {name:<9} {figure:8.2f}")
    ratio = each["tk"] / each["mmengine"]
    print(f"  ratio: {ratio:.2f} ({verdict(ratio, GOAL)})")


if __name__ == "__main__":
    main()
