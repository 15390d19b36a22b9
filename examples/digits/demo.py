"""The main job: train on real images, be stopped, go on, and show that nothing was lost.

Trains `configs/digits.py` twice with the `tk-runner` command. The first run is
left alone. The second one gets SIGTERM in the middle of an epoch, saves, ends with
status 143, and is resumed. At the end both runs must have the same weights, bit
for bit, and at least 98 % on the 1,000 images that were held out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import torch

from tk_runner import find_latest_checkpoint, read_checkpoint

HERE = Path(__file__).parent
# One thread computes while a worker process prepares the next batch: as fast as two threads
# on two cores, and much faster than they are where other programs run as well.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", **os.environ}
GOAL = 0.98
STOPPED_AND_SAVED = 128 + signal.SIGTERM


def main() -> int:
    """Run the whole demonstration; 0 where everything holds."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--config", default="configs/digits.py")
    options.add_argument("--work-dir", type=Path, default=Path.cwd() / "work_dirs" / "digits")
    options.add_argument("--goal", type=float, default=GOAL, help="accuracy that must be reached")
    chosen = options.parse_args()
    began = time.monotonic()
    shutil.rmtree(chosen.work_dir, ignore_errors=True)
    straight, stopped = chosen.work_dir / "straight", chosen.work_dir / "stopped"

    say("1. train without a break")
    train(chosen.config, straight)
    say("2. train again, and send SIGTERM in the middle of an epoch")
    stop_in_an_epoch(chosen.config, stopped)
    say("3. resume")
    train(chosen.config, stopped, "--resume")
    say("4. compare")
    problems = differences(straight, stopped)
    accuracy = last_accuracy(straight)
    if accuracy < chosen.goal:
        problems.append(f"the accuracy is {accuracy:.2%}, below {chosen.goal:.0%}")
    report(straight, accuracy, problems, time.monotonic() - began)
    return 1 if problems else 0


def say(text: str) -> None:
    print(f"\n== {text}", flush=True)


def command(config: str, work_dir: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "tk_runner", "train", config, "--work-dir", str(work_dir), *more]


def train(config: str, work_dir: Path, *more: str) -> None:
    subprocess.run(command(config, work_dir, *more), cwd=HERE, env=ENVIRONMENT, check=True)


def stop_in_an_epoch(config: str, work_dir: Path) -> None:
    """Wait until a line of the second epoch was recorded, then ask the run to end."""
    process = subprocess.Popen(command(config, work_dir), cwd=HERE, env=ENVIRONMENT)
    while process.poll() is None and last_step(work_dir) < 81:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    status = process.wait(timeout=60)
    if status != STOPPED_AND_SAVED:
        raise SystemExit(f"the run ended with status {status} instead of {STOPPED_AND_SAVED}")
    checkpoint = read_checkpoint(str(find_latest_checkpoint(work_dir)))
    place = checkpoint["meta"]
    say(f"stopped and saved after iteration {place['iter']} (epoch {place['epoch']} was done)")


def records(work_dir: Path) -> list[dict[str, float]]:
    """Everything that was recorded in a work folder, oldest first."""
    lines = [
        line
        for file in sorted(work_dir.glob("*/vis_data/scalars.json"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return [json.loads(line) for line in lines]


def last_step(work_dir: Path) -> int:
    return max((int(one["iter"]) for one in records(work_dir) if "iter" in one), default=0)


def last_accuracy(work_dir: Path) -> float:
    return [one["accuracy/top1"] for one in records(work_dir) if "accuracy/top1" in one][-1]


def differences(straight: Path, stopped: Path) -> list[str]:
    """What of the two final checkpoints is not equal, bit for bit."""
    kept = [read_checkpoint(str(find_latest_checkpoint(one))) for one in (straight, stopped)]
    found = []
    for part in ("state_dict", "ema_state_dict", "optimizer", "param_schedulers", "loop", "ranks"):
        first, second = (dict(leaves(checkpoint[part])) for checkpoint in kept)
        unequal = [name for name in first if not equal(first[name], second.get(name))]
        print(f"   {part}: {len(first) - len(unequal)} of {len(first)} values are equal")
        found += [f"{part}{name} differs" for name in unequal]
    return found


def leaves(value: object, path: str = ""):
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for place, one in enumerate(value):
            yield from leaves(one, f"{path}.{place}")
    else:
        yield path, value


def equal(first: object, second: object) -> bool:
    if isinstance(first, torch.Tensor):
        return isinstance(second, torch.Tensor) and torch.equal(first, second)
    return first == second


def report(work_dir: Path, accuracy: float, problems: list[str], seconds: float) -> None:
    log = max(work_dir.glob("*/*.log"))
    say(f"done in {seconds:.0f} s: accuracy {accuracy:.2%} on 1,000 held-out images")
    print(f"   log:        {shown(log)}")
    print(f"   checkpoint: {shown(Path(str(find_latest_checkpoint(work_dir))))}")
    print(f"   curves:     tensorboard --logdir {shown(log.parent / 'vis_data')}")
    for problem in problems:
        print(f"   PROBLEM: {problem}")
    if not problems:
        print("   the stopped and resumed run equals the other one, bit for bit")


def shown(path: Path) -> str:
    return os.path.relpath(path)


if __name__ == "__main__":
    sys.exit(main())
