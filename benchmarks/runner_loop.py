"""What a training loop adds to its steps: over a bare loop, beside MMEngine's.

    python benchmarks/runner_loop.py [--losses 20] [--repeats 7]

Needs an interpreter with mmengine. Goal: at most 0.40 of what MMEngine adds.
"""

from __future__ import annotations

import argparse

from runner_job import SUBJECTS, measure, show_over_bare, verdict

GOAL = 0.40


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--losses", type=int, default=1)
    options.add_argument("--repeats", type=int, default=7)
    chosen = options.parse_args()
    for interval in (10, 50):
        found = measure(SUBJECTS, chosen.losses, interval, repeats=chosen.repeats)
        ratio = (found["tk"] - found["bare"]) / (found["mmengine"] - found["bare"])
        print(f"\nlog every {interval}, {chosen.losses} losses, CPU us an iteration")
        show_over_bare(found)
        print(f"  ratio of what is added: {ratio:.2f} ({verdict(ratio, GOAL)})")


if __name__ == "__main__":
    main()
