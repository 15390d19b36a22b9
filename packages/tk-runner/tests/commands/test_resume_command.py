from __future__ import annotations

import shlex
import sys

import pytest

from tk_runner.commands.resume_command import resume_command


@pytest.fixture(autouse=True)
def called_as_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/bin/tk-runner"])


QUOTED = """tk-runner train a.py --cfg-options 'a='"'"'b c'"'"'' --resume"""


@pytest.mark.parametrize(
    ("words", "resumed", "command"),
    [
        ("train a.py", None, "tk-runner train a.py --resume"),
        ("train a.py --resume", True, "tk-runner train a.py --resume"),
        ("train a.py --resume x.pth --amp", "x.pth", "tk-runner train a.py --amp --resume"),
        ("train a.py --resume=x.pth", "x.pth", "tk-runner train a.py --resume"),
        ("""train a.py --cfg-options "a='b c'" """, None, QUOTED),
    ],
    ids=["plain", "again", "from a path", "from a path by =", "quoted"],
)
def test_the_command_is_as_typed_with_resume_at_its_end(words, resumed, command) -> None:
    assert resume_command(shlex.split(words), resumed, {}) == command


TORCHRUN = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}


@pytest.mark.parametrize(
    ("variables", "program"),
    [
        (TORCHRUN, "torchrun --standalone --nproc-per-node 2 -m tk_runner"),
        ({"SLURM_STEP_NUM_TASKS": "4"}, "srun --ntasks 4 tk-runner"),
        ({"OMPI_COMM_WORLD_SIZE": "3", "OMPI_COMM_WORLD_LOCAL_RANK": "0"}, "mpirun -n 3 tk-runner"),
    ],
    ids=["torchrun", "srun", "mpirun"],
)
def test_the_launcher_is_a_part_of_it(variables, program) -> None:
    assert resume_command(["train", "a.py"], None, variables) == f"{program} train a.py --resume"


def test_processes_that_the_command_started_name_the_command(monkeypatch) -> None:
    words = ["train", "a.py", "--nproc-per-node", "2"]

    assert resume_command(words, None, {"WORLD_SIZE": "2"}) == (
        "tk-runner train a.py --nproc-per-node 2 --resume"
    )
