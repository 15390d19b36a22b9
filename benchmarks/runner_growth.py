"""Whether an iteration costs the same at the end of a long run as at its beginning.

    python benchmarks/runner_growth.py [--iterations 100000] [--losses 1]

The blocks of the 1,000 iterations before 100,000, against that before
1,000 (the first 100 are left out), of one run. A bare loop of the same length
runs afterwards: what it grows by is the machine's. Goal: at most 1.10 times.
"""

from __future__ import annotations

import argparse

from runner_job import BLOCK, SUBJECTS, block_times, quartile, quiet, verdict

GOAL = 1.10
STRETCH = 1000 // BLOCK


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--iterations", type=int, default=100_000)
    options.add_argument("--losses", type=int, default=1)
    chosen = options.parse_args()
    print(f"\nlog every 50, {chosen.losses} losses, CPU us an iteration")
    for name in ("tk", "bare"):
        with quiet():
            blocks = block_times(SUBJECTS[name](chosen.iterations, chosen.losses, 50))
        marks = {1_000: blocks[: STRETCH - 2]}
        for end in (10_000, 30_000, chosen.iterations):
            if end <= chosen.iterations:
                last = end // BLOCK - 2
                marks[end] = blocks[last - STRETCH : last]
        figures = {end: quartile(some) for end, some in marks.items()}
        shown = "  ".join(f"{end:,}: {figure:.1f}" for end, figure in figures.items())
        ratio = figures[chosen.iterations] / figures[1_000]
        goal = f" ({verdict(ratio, GOAL)})" if name == "tk" else ""
        print(f"  {name:<5} {shown}  ratio {ratio:.2f}{goal}")


if __name__ == "__main__":
    main()
