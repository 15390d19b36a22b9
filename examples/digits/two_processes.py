"""The same checkpoint, tested in one process and in two: the same metric."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from demo import HERE, records

from tk_runner import find_latest_checkpoint


def main() -> int:
    """Test twice and compare; 0 where both agree."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("work_dir", type=Path, help="of a finished training")
    options.add_argument("--config", default="configs/digits.py")
    chosen = options.parse_args()
    checkpoint = str(find_latest_checkpoint(chosen.work_dir))
    found = {number: tested(chosen, checkpoint, number) for number in (1, 2)}
    for number, accuracy in found.items():
        print(f"{number} process(es): accuracy {accuracy:.4%}")
    return 0 if found[1] == found[2] else 1


def tested(chosen: argparse.Namespace, checkpoint: str, processes: int) -> float:
    work_dir = chosen.work_dir.absolute() / f"test_in_{processes}"
    command = [sys.executable, "-m", "tk_runner", "test", chosen.config, checkpoint]
    command += ["--work-dir", str(work_dir)]
    if processes > 1:
        command += ["--nproc-per-node", str(processes)]
    subprocess.run(command, cwd=HERE, check=True)
    name = "test/accuracy/top1"
    return [one[name] for one in records(work_dir) if name in one][-1]


if __name__ == "__main__":
    sys.exit(main())
