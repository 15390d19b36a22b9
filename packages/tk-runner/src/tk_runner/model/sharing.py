"""The state of rank 0's module on every rank."""

from __future__ import annotations

from torch import Tensor, nn

from tk_dist import broadcast, broadcast_object_list, get_rank, get_world_size


def share_state(module: nn.Module) -> None:
    """Give every rank the weights, buffers and extra state of rank 0's module.

    What ``get_extra_state`` returns is a tensor or any object that can be pickled.
    """
    if get_world_size() == 1:
        return
    state = module.state_dict()
    extra = {name: value for name, value in state.items() if not isinstance(value, Tensor)}
    for value in state.values():
        if isinstance(value, Tensor):
            broadcast(value)
    if extra:
        answer = [extra]
        broadcast_object_list(answer)
        if get_rank() != 0:
            module.load_state_dict({**state, **answer[0]})
