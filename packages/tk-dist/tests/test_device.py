"""Which accelerator is there, asked anew in each call."""

from __future__ import annotations

import subprocess
import sys
import types

import pytest
import torch

import tk_dist
from tk_dist import LauncherError
from tk_dist.device import choose_device, device_identity

KINDS = ["cuda", "mps", "npu", "xpu", "mlu", "musa", "dipu"]


class FakeDevice(types.ModuleType):
    """An accelerator as a vendor's plug-in adds it to torch."""

    def __init__(self, count: int) -> None:
        super().__init__("fake")
        self.count = count
        self.current = -1
        self.resets = 0

    def is_available(self) -> bool:
        return self.count > 0

    def device_count(self) -> int:
        return self.count

    def set_device(self, index: int) -> None:
        self.current = index

    def current_device(self) -> int:
        return self.current

    def get_device_properties(self, device: torch.device) -> object:
        return types.SimpleNamespace(uuid=f"GPU-{device.index}")

    def max_memory_allocated(self, device: object = None) -> int:
        return 3 * 2**20

    def reset_peak_memory_stats(self, device: object = None) -> None:
        self.resets += 1


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_can_be_asked_for(kind: str) -> None:
    assert isinstance(getattr(tk_dist, f"is_{kind}_available")(), bool)


def test_the_device_is_one_that_torch_can_use() -> None:
    assert torch.ones(1, device=tk_dist.get_device()).device.type == tk_dist.get_device()


def test_nothing_is_decided_at_import(monkeypatch: pytest.MonkeyPatch) -> None:
    before = tk_dist.get_device()
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch, "npu", FakeDevice(8), raising=False)

    assert tk_dist.get_device() == "npu"
    assert tk_dist.is_npu_available()
    monkeypatch.undo()
    assert tk_dist.get_device() == before


def test_torch_names_the_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("xpu"))

    assert tk_dist.get_device() == "xpu"


def test_without_a_device_the_peak_is_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    assert tk_dist.get_max_cuda_memory() == 0
    assert tk_dist.get_max_musa_memory() == 0
    assert tk_dist.get_max_memory("cpu") == 0


def test_the_peak_is_in_mib_and_cudas_is_counted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda, musa = FakeDevice(1), FakeDevice(1)
    monkeypatch.setattr(torch, "cuda", cuda)
    monkeypatch.setattr(torch, "musa", musa, raising=False)

    assert (tk_dist.get_max_cuda_memory(), cuda.resets) == (3, 1)
    assert (tk_dist.get_max_musa_memory(), musa.resets) == (3, 0)


@pytest.mark.parametrize(("count", "index"), [(4, 2), (1, 0)], ids=["all seen", "own seen"])
def test_the_local_rank_chooses_the_device(
    count: int, index: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeDevice(count)
    monkeypatch.setattr(torch, "cuda", fake)

    assert tk_dist.set_local_device("cuda", 2) == torch.device("cuda", index)
    assert fake.current == index


@pytest.fixture
def two_devices(monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    fake = FakeDevice(2)
    monkeypatch.setattr(torch, "cuda", fake)
    monkeypatch.setattr("tk_dist.device.get_device", lambda: "cuda")
    return fake


def test_the_device_of_a_rank_has_its_index(two_devices: FakeDevice) -> None:
    two_devices.set_device(1)

    assert tk_dist.get_local_device() == torch.device("cuda", 1)


def test_the_cpu_has_no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_dist.device.get_device", lambda: "cpu")

    assert tk_dist.get_local_device() == torch.device("cpu")


@pytest.mark.parametrize(("local_rank", "index"), [(0, 0), (1, 1), (3, 1)])
def test_ranks_of_gloo_may_share_a_device(
    local_rank: int, index: int, two_devices: FakeDevice
) -> None:
    assert choose_device("gloo", local_rank) == torch.device("cuda", index)
    assert two_devices.current == index


def test_ranks_of_nccl_may_not(two_devices: FakeDevice) -> None:
    assert choose_device("nccl", 1) == torch.device("cuda", 1)
    with pytest.raises(LauncherError, match="local rank 2 has no cuda device"):
        choose_device("nccl", 2)


def test_devices_are_told_apart(two_devices: FakeDevice) -> None:
    assert device_identity(torch.device("cuda", 1)) == "GPU-1"
    assert device_identity(torch.device("cpu")) == ""


def test_too_few_devices_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "cuda", FakeDevice(2))
    with pytest.raises(LauncherError, match=r"local rank 2 has no cuda device.* sees 2"):
        tk_dist.set_local_device("cuda", 2)


def test_importing_the_package_imports_no_torch() -> None:
    code = "import sys, tk_dist; dir(tk_dist); assert 'torch' not in sys.modules"

    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
