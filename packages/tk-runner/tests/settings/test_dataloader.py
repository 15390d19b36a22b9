from __future__ import annotations

from typing import Any

import pytest

from tk_runner.settings.dataloader import loader_problems


@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        ({}, []),
        ({"batch_size": None, "num_workers": 2, "prefetch_factor": 4}, []),
        ({"sampler": {"type": "X"}, "batch_sampler": {"type": "Y"}, "batch_size": 4}, []),
        (
            {"batch_size": 0, "num_workers": -1, "timeout": -1},
            ["batch_size", "num_workers", "timeout"],
        ),
        ({"shuffle": "no"}, ["shuffle"]),
        ({"shuffle": False, "sampler": {"type": "X"}}, ["shuffle"]),
        ({"shuffle": True, "batch_sampler": {"type": "Y"}}, ["shuffle"]),
        ({"drop_last": True, "batch_sampler": {"type": "Y"}}, ["drop_last"]),
        ({"persistent_workers": True}, ["persistent_workers"]),
    ],
)
def test_values_that_cannot_work_are_found_without_building(
    settings: dict[str, Any], arguments: list[str]
) -> None:
    problems = loader_problems({"dataset": {"type": "Toy"}, **settings})

    assert sorted(argument for argument, _ in problems) == arguments
