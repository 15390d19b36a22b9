"""Where the messages of a backend lie."""

from __future__ import annotations

import pytest
import torch

import tk_dist
from tk_dist.backend_devices import accelerator_of


def test_gloo_and_nobody_talk_on_cpu() -> None:
    assert tk_dist.get_comm_device() == torch.device("cpu")
    assert tk_dist.launch(tk_dist.get_comm_device, 2) == [torch.device("cpu")] * 2


@pytest.mark.parametrize(
    ("backend", "kind"),
    [("gloo", None), ("nccl", "cuda"), ("cpu:gloo,cuda:nccl", "cuda"), ("hccl", "npu")],
)
def test_the_accelerator_of_a_backend_is_known(backend: str, kind: str | None) -> None:
    assert accelerator_of(backend) == kind
