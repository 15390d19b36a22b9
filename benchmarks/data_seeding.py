"""What seeding before every sample costs, and what a position costs, in microseconds.

python benchmarks/data_seeding.py
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

from paired import paired
from torch.utils.data import DataLoader, Dataset

from tk_runner.data import StatefulDataLoader
from tk_runner.data.sample_seed import mixed, seed_generators

SAMPLES = 2000


class Numbers(Dataset[int]):
    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> int:
        return index


def drain(loader: DataLoader[int] | StatefulDataLoader) -> Callable[[], None]:
    def run() -> None:
        for _ in loader:
            pass

    return run


def main() -> None:
    warnings.simplefilter("ignore")
    data = Numbers()
    subjects = {
        "seeding itself": lambda: [seed_generators(mixed(1, 2, i)) for i in range(SAMPLES)],
        "plain DataLoader": drain(DataLoader(data, 20, collate_fn=len)),
        "StatefulDataLoader, not seeded": drain(
            StatefulDataLoader(data, 20, collate_fn=len, seed=1, seed_samples=False)
        ),
        "StatefulDataLoader, every sample": drain(
            StatefulDataLoader(data, 20, collate_fn=len, seed=1, seed_samples=True)
        ),
    }
    for name, timing in paired(subjects).items():
        each = [value / SAMPLES * 1e6 for value in timing]
        print(f"{name:32} {each[0]:7.2f} us a sample [{each[1]:.2f}-{each[2]:.2f}]")


if __name__ == "__main__":
    main()
