"""The state of an optimizer that MMEngine saved, with the names that it leaves out.

MMEngine keeps parameters in the order of the model: in one group, or each in a group
of its own where options differ by parameter. Groups here are made otherwise, so that
positions alone would not tell which state belongs to which parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn

_NAMES = "param_names"  # where tk_optim looks for them


def with_parameter_names(state: Mapping[str, Any], model: nn.Module) -> Mapping[str, Any]:
    """The state with the names of its parameters, where it has one group for each and no names.

    Args:
        state: of one optimizer, or of several by name; these are left as they are.
        model: whose parameters that need gradients the optimizer had.
    """
    groups = state.get("param_groups", ())
    names = [name for name, value in model.named_parameters() if value.requires_grad]
    is_by_parameter = len(groups) > 1 and all(len(group["params"]) == 1 for group in groups)
    if _NAMES in state or not is_by_parameter or len(groups) != len(names):
        return state
    return {**state, _NAMES: [[name] for name in names]}
