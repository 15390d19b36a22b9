"""Where the ranks meet."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as torch_dist

from tk_dist import LauncherError
from tk_dist.environments import Place
from tk_dist.rendezvous import agreed_token, meet, refuse_shared_device

PLACE = Place(rank=1, world_size=2, local_rank=1, init_method="env://")


def tokens_of(store: Any, ranks: list[int], world_size: int) -> list[str]:
    with ThreadPoolExecutor(len(ranks)) as pool:
        told = [pool.submit(agreed_token, store, rank, world_size) for rank in ranks]
        return [token.result(30) for token in told]


def test_ranks_agree_on_a_new_token_in_each_attempt_at_one_store() -> None:
    store = torch_dist.HashStore()  # type: ignore[attr-defined]

    first = tokens_of(store, [0, 1, 2], 3)
    second = tokens_of(store, [2, 1, 0], 3)  # though the texts of the first are still there
    fewer = tokens_of(store, [0, 1], 2)

    assert [len({*tokens}) for tokens in (first, second, fewer)] == [1, 1, 1]
    assert len({first[0], second[0], fewer[0]}) == 3


def test_a_restart_does_not_read_what_the_attempt_before_wrote(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = torch_dist.HashStore()  # type: ignore[attr-defined]

    def rendezvous(*_: object, **__: object) -> Iterator[Any]:
        yield kept, 0, 1

    monkeypatch.setattr(torch_dist, "rendezvous", rendezvous)
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "1")
    alone = replace(PLACE, rank=0, world_size=1)
    meet(alone, None).set("failure", "rank 1")

    assert not meet(alone, None).check(["failure"])


def test_a_store_that_no_restart_keeps_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    store = torch_dist.HashStore()  # type: ignore[attr-defined]
    monkeypatch.setattr(torch_dist, "rendezvous", lambda *_, **__: iter([(store, 1, 2)]))
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)

    assert meet(PLACE, None) is store


def test_a_device_that_another_rank_uses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_dist.rendezvous.device_identity", lambda device: f"GPU-{device.index}")
    store: Any = torch_dist.HashStore()  # type: ignore[attr-defined]
    refuse_shared_device(store, PLACE, torch.device("cuda", 0))
    refuse_shared_device(store, PLACE, torch.device("cuda", 1))

    with pytest.raises(LauncherError, match=r"would use cuda:0, which another.*backend='gloo'"):
        refuse_shared_device(store, PLACE, torch.device("cuda", 0))


def test_devices_that_cannot_be_told_apart_are_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tk_dist.rendezvous.device_identity", lambda device: "")
    store: Any = torch_dist.HashStore()  # type: ignore[attr-defined]
    for _ in range(2):
        refuse_shared_device(store, PLACE, torch.device("cuda", 0))

    assert store.num_keys() == 0


@pytest.mark.slow
def test_a_restart_by_torchrun_comes_to_its_end(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import os, tk_dist\n"
        "with tk_dist.distributed(backend='gloo'):\n"
        "    if os.environ['TORCHELASTIC_RESTART_COUNT'] == '0' and tk_dist.get_rank() == 1:\n"
        "        raise ValueError('a passing fault')\n"
        "    tk_dist.barrier()\n"
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]

    done = subprocess.run(
        [*command, "--max-restarts=1", str(script)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "ValueError: a passing fault" in done.stderr
