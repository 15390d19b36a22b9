"""What every backend does; a subclass provides ``backend`` and reads its records back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from tk_config import Config
from tk_runner.visualization import BaseVisBackend


class BackendSuite:
    """One sequence of calls gives the same records in every backend."""

    def scalars(self, backend: BaseVisBackend) -> list[tuple[int, str, float]]:
        """Step, name and value of every number that was recorded."""
        raise NotImplementedError

    def test_numbers_of_every_kind_are_recorded_alike(self, backend: BaseVisBackend) -> None:
        values = {
            "int": 1,
            "float": 0.5,
            "numpy": np.float32(0.25),
            "index": np.int64(3),
            "tensor": torch.tensor([2.0]),
        }
        backend.add_scalars(values, step=4)

        assert sorted(self.scalars(backend)) == [
            (4, "float", 0.5),
            (4, "index", 3.0),
            (4, "int", 1.0),
            (4, "numpy", 0.25),
            (4, "tensor", 2.0),
        ]

    def test_what_it_was_given_is_not_changed(self, backend: BaseVisBackend) -> None:
        values = {"a": np.int64(3), "step": 7, "none": None}
        backend.add_scalars(values, step=1)

        assert values == {"a": np.int64(3), "step": 7, "none": None}
        assert type(values["a"]) is np.int64

    def test_a_step_among_the_values_is_the_step(self, backend: BaseVisBackend) -> None:
        backend.add_scalars({"a": 1.0, "step": 7}, step=1)

        assert self.scalars(backend) == [(7, "a", 1.0)]

    def test_single_scalars_come_in_order(self, backend: BaseVisBackend) -> None:
        for step in (1, 2, 3):
            backend.add_scalar("loss", 1.0 / step, step=step)

        found = self.scalars(backend)
        assert [step for step, _, _ in found] == [1, 2, 3]

    def test_infinity_and_nan_are_kept(self, backend: BaseVisBackend) -> None:
        backend.add_scalars({"inf": float("inf"), "nan": float("nan")}, step=1)

        found = {name: value for _, name, value in self.scalars(backend)}
        assert found["inf"] == float("inf")
        assert found["nan"] != found["nan"]

    def test_it_records_on_after_it_was_closed(self, backend: BaseVisBackend) -> None:
        backend.add_scalar("a", 1.0, step=1)
        backend.close()
        backend.close()
        backend.add_scalar("a", 2.0, step=2)

        assert self.scalars(backend) == [(1, "a", 1.0), (2, "a", 2.0)]

    def test_a_config_and_an_image_are_taken(self, backend: BaseVisBackend) -> None:
        image = np.zeros((4, 6, 3), dtype=np.uint8)
        backend.add_config(Config({"lr": 0.1}))
        backend.add_image("seen", image, step=2)
        backend.add_graph(None, None)
        backend.close()

        assert isinstance(backend.experiment, object)
        assert not image.any()

    def test_nothing_is_written_before_the_first_record(self, backend: Any) -> None:
        assert not Path(backend.save_dir).exists()
