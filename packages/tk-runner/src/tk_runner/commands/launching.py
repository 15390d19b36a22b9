"""Several processes on this machine: ``--nproc-per-node N`` through torchrun's own launcher."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .printing import tell

FLAGS_OF_NEWER_TORCH = {
    "--signals-to-handle": "SIGTERM,SIGINT,SIGHUP,SIGQUIT,SIGUSR1",
    "--shutdown-timeout": "600",  # seconds for the ranks to save; torch's own 30 are few
}


def is_launched() -> bool:
    """Whether torchrun started this process, so that it must not start others."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def launch(words: Sequence[str], number: int) -> int:
    """Run the same command in ``number`` processes; the exit code of the run comes back.

    Args:
        words: of the command line, without the program.
        number: of processes on this machine.
    """
    from torch.distributed import run as torchrun  # loads torch, 1.2 s
    from torch.distributed.elastic.multiprocessing import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

    flags = ["--standalone", f"--nproc-per-node={number}"]
    parser = torchrun.get_args_parser()
    known = parser.format_help()
    for flag, value in FLAGS_OF_NEWER_TORCH.items():
        if flag in known:
            flags.append(f"{flag}={value}")
    arguments: Any = parser.parse_args([*flags, "-m", "tk_runner", *words])
    try:
        with _threads_shared(number):
            torchrun.run(arguments)  # type: ignore[no-untyped-call]  # torch's own
    except ChildFailedError as error:
        return _code_of(error)
    except SignalException as error:
        return 128 + int(error.sigval)
    return 0


@contextmanager
def _threads_shared(number: int) -> Iterator[None]:
    """Each process computes with its share of the cores, unless the user has said otherwise."""
    if "OMP_NUM_THREADS" in os.environ:
        yield
        return
    os.environ["OMP_NUM_THREADS"] = str(max(1, (os.cpu_count() or 1) // number))
    try:
        yield
    finally:
        del os.environ["OMP_NUM_THREADS"]


def _code_of(error: Any) -> int:
    """The exit code of the rank that ended first; killed ones count as 128 + signal."""
    rank, first = error.get_first_failure()
    code = int(first.exitcode)
    if code < 0:
        tell(f"rank {rank} was killed by signal {-code}")
        return 128 - code
    return code
