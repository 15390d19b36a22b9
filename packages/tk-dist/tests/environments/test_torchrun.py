"""The variables that torchrun sets."""

from __future__ import annotations

from tk_dist.environments import TorchrunEnvironment

NODE = {
    "RANK": "5",
    "LOCAL_RANK": "1",
    "WORLD_SIZE": "8",
    "MASTER_ADDR": "head",
    "MASTER_PORT": "29400",
}


def test_the_place_is_read_and_torch_does_the_meeting() -> None:
    place = TorchrunEnvironment({**NODE, "LOCAL_WORLD_SIZE": "4", "GROUP_RANK": "1"}).place()

    assert (place.rank, place.world_size, place.local_rank) == (5, 8, 1)
    assert (place.local_size, place.node, place.init_method) == (4, "1", "env://")


def test_another_port_is_met_by_address() -> None:
    assert TorchrunEnvironment(NODE).place(port=29400).init_method == "env://"
    assert TorchrunEnvironment(NODE).place(port=7).init_method == "tcp://head:7"
