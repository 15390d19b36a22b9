from __future__ import annotations

import inspect

import pytest
from torch.nn.parallel import DistributedDataParallel

from tk_runner.model.wrappers import buffers
from tk_runner.model.wrappers.buffers import with_known_names


def test_the_setting_has_a_name_that_this_torch_knows() -> None:
    (name,) = with_known_names({"broadcast_buffers": False})

    assert name in inspect.signature(DistributedDataParallel.__init__).parameters


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"broadcast_buffers"}, {"broadcast_buffers": False, "device_ids": None}),
        ({"forward_sync_buffers"}, {"forward_sync_buffers": False, "device_ids": None}),
    ],
)
def test_only_that_setting_is_renamed(
    known: set[str], expected: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffers, "_KNOWN", known)

    assert with_known_names({"broadcast_buffers": False, "device_ids": None}) == expected
