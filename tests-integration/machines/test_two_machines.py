"""A training over two machines, and one that goes on after a machine was lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from two_machines import Machine, two_machines, wait_for, why_impossible

from tk_runner import read_checkpoint

PROGRAM = str(Path(__file__).parent / "train_digits.py")
LIMIT_S = 240

pytestmark = pytest.mark.skipif(bool(why_impossible()), reason=why_impossible() or "possible")


@pytest.fixture
def machines() -> Iterator[tuple[Machine, Machine]]:
    with two_machines() as both:
        yield both


def start(
    machine: Machine, head: Machine, work_dir: Path, step_s: float = 0.0
) -> subprocess.Popen[str]:
    # Both have the name of this computer, so the head cannot tell by it that it is meant.
    is_head = f"is_host={machine is head}".lower()
    meeting = ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"{head.address}:29555"]
    meeting += ["--rdzv-conf", is_head, "--rdzv-id", "digits"]
    counts = ["--nnodes", "2", "--nproc-per-node", "1", "--max-restarts", "3"]
    return machine.torchrun(*counts, *meeting, PROGRAM, str(work_dir), "8", str(step_s))


def weights(work_dir: Path) -> dict[str, torch.Tensor]:
    state: dict[str, torch.Tensor] = read_checkpoint(work_dir / "iter_12.pth")["state_dict"]
    return state


def done(launcher: subprocess.Popen[str]) -> str:
    output, _ = launcher.communicate(timeout=LIMIT_S)
    assert launcher.returncode == 0, output[-6000:]
    return output


def test_two_machines_find_the_weights_of_one_rank_also_when_one_was_lost(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    head, other = machines
    alone, together, interrupted = (tmp_path / name for name in ("alone", "two", "lost"))
    subprocess.run([sys.executable, PROGRAM, str(alone), "16", "0"], check=True, timeout=LIMIT_S)

    launchers = [start(machine, head, together) for machine in machines]
    for launcher in launchers:
        done(launcher)

    first = start(head, head, interrupted, 0.5)
    start(other, head, interrupted, 0.5)
    wait_for(interrupted / "iter_4.pth", LIMIT_S)
    other.kill()
    again = start(other, head, interrupted)
    done(again)
    output = done(first)

    # Gradients of two halves are averaged in another order than those of the whole.
    for name, weight in weights(alone).items():
        torch.testing.assert_close(weights(together)[name], weight, rtol=1e-5, atol=1e-6)
    for name, weight in weights(together).items():
        assert torch.equal(weights(interrupted)[name], weight)
    assert "failed first" in output
