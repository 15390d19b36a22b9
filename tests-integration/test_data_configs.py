"""A config of plain data, from whoever, builds registered parts and runs no other code."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from tk_config import Config
from tk_fileio import UntrustedSourceError
from tk_registry import DATASETS, HOOKS, MODELS, RUNNERS, RefusedNameError, Registry
from tk_runner.data import BaseDataset


class Canary:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.path,))


def data_config(text: str) -> Any:
    return Config.fromstring(text, ".yaml", trusted=False).part


@pytest.mark.parametrize("registry", [DATASETS, HOOKS, MODELS], ids=lambda kind: kind.name)
@pytest.mark.parametrize(
    "name",
    [
        "tk_runner.data.dataset.BaseDataset",
        "tk_runner.data.BaseDataset",
        "tk_runner.run.record.RunRecord",
        "tk_runner.runner.Runner",
        "tk_runner.Runner",
        "tk_optim.optimizer.wrapper.OptimWrapper",
        "tk_fileio.atomic_write",
    ],
)
def test_a_part_that_is_not_registered_for_its_kind_is_not_reached(
    registry: Registry[Any], name: str
) -> None:
    cfg = data_config(f"part: {{type: {name}}}")

    with pytest.raises(RefusedNameError, match="what is registered"):
        registry.build(cfg)


def test_the_import_path_of_a_registered_part_is_its_name_as_well() -> None:
    cfg = data_config("part: {type: tk_runner.hooks.EmptyCacheHook}")

    assert type(HOOKS.build(cfg)).__name__ == "EmptyCacheHook"
    assert RUNNERS.get("tk_runner.Runner").__name__ == "Runner"  # type: ignore[union-attr]


def test_annotations_that_a_data_config_names_are_not_unpickled(tmp_path: Path) -> None:
    (tmp_path / "x.pkl").write_bytes(pickle.dumps(Canary(tmp_path / "canary")))
    datasets: Registry[Any] = Registry("dataset", parent=DATASETS, scope="data_config_test")
    datasets.register_module("Mine", module=type("Mine", (BaseDataset,), {}))
    cfg = data_config(f"part: {{type: Mine, ann_file: {tmp_path / 'x.pkl'}}}")

    with pytest.raises(UntrustedSourceError):
        datasets.build(cfg)
    assert not (tmp_path / "canary").exists()
