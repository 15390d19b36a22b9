from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import fx, nn

from tk_runner.model import merge_dict, merging


def test_later_dicts_win() -> None:
    assert merge_dict({"a": 1, "b": 1}, {"b": 2}, {}) == {"a": 1, "b": 2}


def test_what_is_no_dict_is_refused() -> None:
    with pytest.raises(AssertionError, match="only dicts can be merged, got int"):
        merge_dict({"a": 1}, 3)


def test_tracing_leaves_the_call_as_it_is() -> None:
    class Net(nn.Module):
        def forward(self, x: Any) -> Any:
            return merging.merge_dict({"a": x}, {"b": x + 1})

    traced = fx.symbolic_trace(Net())

    assert "merge_dict" in {getattr(node.target, "__name__", "") for node in traced.graph.nodes}
    assert int(traced(torch.ones(1))["b"]) == 2
