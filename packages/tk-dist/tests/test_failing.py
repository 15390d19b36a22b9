"""The rank that fails first is named, and the others leave."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from dist_jobs import free_port, torchrun_variables

import tk_dist
from tk_dist import LauncherError, PeerFailedError, RankFailedError, failing_rank_first, launch


def raising_on(rank: int, then: Callable[[], object]) -> None:
    if tk_dist.get_rank() == rank:
        raise ValueError("bad batch")
    then()


def test_with_one_process_nothing_is_done() -> None:
    with pytest.raises(ValueError, match="mine"), failing_rank_first():
        raise ValueError("mine")


def test_the_first_rank_shows_its_traceback(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def job() -> str:
        try:
            with failing_rank_first():
                raising_on(1, lambda: None)
        except Exception as error:
            return type(error).__name__
        return "nothing"

    names = launch(job, 2)

    assert names[1] == "ValueError"
    assert "rank 1 of 2 failed:\n\nTraceback" in capfd.readouterr().err


def test_an_error_that_the_first_one_caused_is_replaced() -> None:
    def job() -> object:
        def echo() -> None:
            time.sleep(0.5)  # stands for a collective that breaks when the other one leaves
            raise RuntimeError("Connection closed by peer")

        try:
            with failing_rank_first():
                raising_on(1, echo)
        except PeerFailedError as error:
            return error.rank, str(error)
        except ValueError:
            return "first"

    values = launch(job, 3)

    assert values[1] == "first"
    for value in (values[0], values[2]):
        assert value[0] == 1
        assert "rank 1 failed first: ValueError: bad batch" in value[1]


def test_a_rank_that_does_not_come_back_is_ended(capfd: pytest.CaptureFixture[str]) -> None:
    def job() -> None:
        # Caught, so that the parent hears of the rank that is ended
        with contextlib.suppress(ValueError), failing_rank_first(grace_s=0.2):
            raising_on(1, signal.pause)

    start = time.monotonic()
    with pytest.raises(RankFailedError, match=r"rank 0 of 2 failed first.* exit code 1 "):
        launch(job, 2)

    assert time.monotonic() - start < 10
    text = capfd.readouterr().err
    assert text.index("bad batch") < text.index("rank 0 of 2 stops because rank 1 failed first")


def test_the_error_that_a_killed_rank_causes_in_a_collective_is_replaced(tmp_path: Path) -> None:
    port = free_port()

    def job() -> None:
        tk_dist.init_dist("pytorch", "gloo")
        try:
            with failing_rank_first():
                if tk_dist.get_rank() == 1:
                    os.kill(os.getpid(), signal.SIGKILL)
                tk_dist.barrier()
        except PeerFailedError as error:
            sys.stderr.write(str(error))
            sys.stderr.flush()
            os._exit(1)

    # Separate processes, as a launcher starts them: nobody ends the ones that live.
    variables = [torchrun_variables(rank, 2, port) for rank in range(2)]
    errors = errors_of_forks(job, variables, 1, tmp_path)

    named = "rank 0 of 2 stops because rank 1 failed first: its process was killed"
    assert errors[0].startswith(named)


@pytest.mark.slow
def test_without_anybody_to_end_them_the_others_leave_within_10_seconds() -> None:
    code = """
import time, tk_dist
with tk_dist.distributed("pytorch", "gloo"):
    if tk_dist.get_rank() == 1:
        raise ValueError(f"bad batch at {time.time()}")
    try:
        time.sleep(600)
    finally:
        print("not reached")
"""
    codes, errors, _ = run_ranks(code, 3)
    raised_at = float(errors[1].rpartition("bad batch at ")[2].split()[0])

    assert codes == [1, 1, 1]
    assert time.time() - raised_at < 10
    for error in (errors[0], errors[2]):
        assert "stops because rank 1 failed first: ValueError: bad batch" in error


def run_ranks(code: str, world_size: int) -> tuple[list[int], list[str], float]:
    """Run a program as ranks of its own, and return exit codes, error outputs and seconds."""
    port = free_port()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, **torchrun_variables(rank, world_size, port)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(world_size)
    ]
    start = time.monotonic()
    errors = [process.communicate(timeout=60)[1] for process in processes]
    return [process.returncode for process in processes], errors, time.monotonic() - start


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (Unprintable(), "Unprintable: <exception str() failed>"),
        (KeyboardInterrupt(), "it was interrupted (Ctrl-C or SIGINT)"),
        (SystemExit(0), "it left early by SystemExit with code 0"),
        (SystemExit(3), "it left by SystemExit with code 3"),
    ],
    ids=["unprintable", "interrupted", "code 0", "code 3"],
)
def test_what_one_rank_did_is_named_on_the_other(error: BaseException, named: str) -> None:
    def job() -> str:
        try:
            with failing_rank_first():
                if tk_dist.get_rank() == 1:
                    raise error
                time.sleep(0.3)  # stands for a collective that breaks when the other one leaves
                raise RuntimeError("Connection closed by peer")
        except PeerFailedError as stopping:
            return str(stopping)
        except BaseException as raised:
            return type(raised).__name__

    texts = launch(job, 2)

    assert texts[0].startswith("rank 0 of 2 stops because rank 1 failed first: ")
    assert named in texts[0]
    assert texts[1] == type(error).__name__


@pytest.mark.parametrize("victim", [0, 1], ids=["with the store", "without the store"])
@pytest.mark.parametrize(
    ("number", "named"),
    [(signal.SIGKILL, "its process was killed"), (signal.SIGSTOP, "its process is frozen")],
    ids=["killed", "frozen"],
)
def test_a_rank_that_is_killed_or_frozen_is_named_by_all_that_are_busy(
    victim: int, number: signal.Signals, named: str, tmp_path: Path
) -> None:
    port = free_port()

    def job() -> None:
        tk_dist.init_dist("pytorch", "gloo")
        with failing_rank_first(grace_s=0.2, peer_timeout_s=1.0):
            tk_dist.barrier()
            if tk_dist.get_rank() == victim:
                time.sleep(1.0)  # the ranks find each other by the store, which it may hold
                os.kill(os.getpid(), number)
            signal.pause()  # stands for a host that waits behind a kernel of a collective

    variables = [torchrun_variables(rank, 3, port) for rank in range(3)]
    errors = errors_of_forks(job, variables, victim, tmp_path)

    for rank, text in errors.items():
        assert f"rank {rank} of 3 stops because rank {victim} failed first: {named}" in text


def errors_of_forks(
    job: Callable[[], None], variables: list[dict[str, str]], victim: int, folder: Path
) -> dict[int, str]:
    """Fork a process for each rank, and return what those that end by themselves print."""
    children: dict[int, int] = {}
    for rank, own in enumerate(variables):
        children[rank] = os.fork()
        if children[rank] == 0:
            signal.alarm(30)
            os.environ.update(own)
            torch.set_num_threads(1)
            sys.stderr = (folder / str(rank)).open("w")
            with contextlib.suppress(BaseException):
                job()
            os._exit(3)
    survivors = [rank for rank in children if rank != victim]
    codes = [os.waitstatus_to_exitcode(os.waitpid(children[rank], 0)[1]) for rank in survivors]
    os.kill(children[victim], signal.SIGKILL)
    os.waitpid(children[victim], 0)
    assert codes == [1] * len(survivors)
    return {rank: (folder / str(rank)).read_text() for rank in survivors}


@pytest.mark.parametrize("text", ["soon", "0", "-1"])
def test_a_limit_that_is_no_time_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TKIT_PEER_TIMEOUT_S", text)

    with (
        pytest.raises(LauncherError, match=f"TKIT_PEER_TIMEOUT_S={text} is not a time"),
        failing_rank_first(),
    ):
        pass


def test_leaving_with_code_0_or_by_an_interrupt_is_no_failure() -> None:
    def job() -> str:
        try:
            with failing_rank_first():
                raise SystemExit(0) if tk_dist.get_rank() else KeyboardInterrupt
        except BaseException as error:
            return type(error).__name__

    assert launch(job, 2) == ["KeyboardInterrupt", "SystemExit"]


def test_ranks_that_agree_to_exit_leave_quietly(capfd: pytest.CaptureFixture[str]) -> None:
    def job() -> object:
        try:
            with failing_rank_first():
                raise SystemExit(143)
        except SystemExit as error:
            return error.code
        except PeerFailedError:
            return "replaced"

    assert launch(job, 2) == [143, 143]
    assert capfd.readouterr().err == ""


def test_the_block_can_be_entered_again() -> None:
    def job() -> int:
        for _ in range(3):
            with failing_rank_first():
                tk_dist.barrier()
        return tk_dist.get_rank()

    assert launch(job, 2) == [0, 1]


def test_the_error_file_of_torchrun_is_written_by_the_first_rank_only(tmp_path: Path) -> None:
    def job() -> None:
        os.environ["TORCHELASTIC_ERROR_FILE"] = str(tmp_path / f"{tk_dist.get_rank()}.json")
        with contextlib.suppress(ValueError, PeerFailedError), failing_rank_first():
            raising_on(1, lambda: time.sleep(0.5))

    launch(job, 2)
    told = json.loads((tmp_path / "1.json").read_text())

    assert told["message"]["message"] == "ValueError: bad batch"
    assert not (tmp_path / "0.json").exists()


@pytest.mark.slow
def test_torchrun_names_the_rank_that_failed_first(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import time, tk_dist\n"
        "with tk_dist.distributed(backend='gloo'):\n"
        "    if tk_dist.get_rank() == 1:\n"
        "        raise ValueError('bad batch')\n"
        "    time.sleep(600)\n"
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=3"]
    start = time.monotonic()

    done = subprocess.run([*command, str(script)], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "rank 1 of 3 failed:\n\nTraceback" in done.stderr
    root_cause = done.stderr[done.stderr.index("Root Cause") :]
    assert "rank      : 1" in root_cause
    assert "ValueError: bad batch" in root_cause
    assert time.monotonic() - start < 30  # two imports of torch, then seconds
