"""A module around another that leaves no trace in the names of weights."""

from __future__ import annotations

from typing import Any

from torch import nn


class TransparentModule(nn.Module):
    """Holds one module as ``module``, whose weights keep their own names in state dicts."""

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """The state, with the weights of ``module`` under their own names."""
        state = super().state_dict(*args, **kwargs)
        prefix = kwargs.get("prefix", args[1] if len(args) > 1 else "")
        _renamed(state, f"{prefix}module.", prefix)
        if hasattr(state, "_metadata"):
            _renamed(state._metadata, f"{prefix}module.", prefix)
        return state

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        inside = f"{prefix}module."
        full = super().state_dict(prefix=prefix)
        own = {name for name in full if not name.startswith(inside)}
        for name in [one for one in state_dict if one.startswith(prefix) and one not in own]:
            state_dict[inside + name.removeprefix(prefix)] = state_dict.pop(name)
        super()._load_from_state_dict(state_dict, prefix, *args)


def _renamed(names: Any, old: str, new: str) -> None:
    """Change one prefix into another, in place and in order."""
    for name in [one for one in names if one.startswith(old)]:
        names[new + name.removeprefix(old)] = names.pop(name)
