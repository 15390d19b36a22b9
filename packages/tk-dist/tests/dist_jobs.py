"""Processes that look as if a launcher had started them, without one.

Each is a fork with variables of its own; the values come back in order.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import socket
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import torch


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def torchrun_variables(rank: int, world_size: int, port: int) -> dict[str, str]:
    return {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(world_size),
        "LOCAL_WORLD_SIZE": str(world_size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }


def _main(fn: Callable[[], Any], variables: dict[str, str], connection: Connection) -> None:
    torch.set_num_threads(1)
    os.environ.update(variables)
    try:
        connection.send((True, fn()))
    except BaseException:
        connection.send((False, traceback.format_exc()))
    with contextlib.suppress(EOFError):
        connection.recv()  # the others may still be connecting to this one


def run_job(fn: Callable[[], Any], variables: list[dict[str, str]]) -> list[Any]:
    """Run a function in one forked process for each set of variables."""
    context = multiprocessing.get_context("fork")
    started = []
    for own in variables:
        ours, theirs = context.Pipe()
        process = context.Process(target=_main, args=(fn, own, theirs))
        process.start()
        theirs.close()
        started.append((process, ours))
    try:
        return [_value_of(connection) for _, connection in started]
    finally:
        for _, connection in started:
            with contextlib.suppress(OSError):
                connection.send(None)
        for process, connection in started:
            connection.close()
            process.join(2)
            process.kill()
            process.join()


def _value_of(connection: Connection) -> Any:
    assert connection.poll(30), "a process of the job did not answer"
    succeeded, value = connection.recv()
    assert succeeded, value
    return value
