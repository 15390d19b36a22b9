"""The variables of three families of MPI."""

from __future__ import annotations

import pytest

from tk_dist import MissingVariableError
from tk_dist.environments import MpiEnvironment

FAMILIES = {
    "open": ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"],
    "intel": ["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"],
    "mvapich": ["MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK"],
}


@pytest.mark.parametrize("names", FAMILIES.values(), ids=FAMILIES.keys())
def test_the_place_is_read(names: list[str]) -> None:
    variables = dict(zip(names, ["3", "8", "1"], strict=True), MASTER_ADDR="head")

    place = MpiEnvironment(variables).place()

    assert (place.rank, place.world_size, place.local_rank) == (3, 8, 1)
    assert place.init_method == "tcp://head:29500"


def test_several_nodes_need_an_address() -> None:
    variables = dict(zip(FAMILIES["open"], ["3", "8", "1"], strict=True))

    with pytest.raises(MissingVariableError, match=r"MASTER_ADDR.*mpirun"):
        MpiEnvironment(variables).place()


def test_one_node_needs_no_address() -> None:
    variables = dict(zip(FAMILIES["open"], ["3", "8", "3"], strict=True))
    variables["OMPI_COMM_WORLD_LOCAL_SIZE"] = "8"

    assert MpiEnvironment(variables).place().init_method == "tcp://127.0.0.1:29500"
