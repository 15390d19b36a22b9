from __future__ import annotations

from pathlib import Path

import pytest

import tk_runner.registration
from tk_registry import (
    DATA_SAMPLERS,
    FUNCTIONS,
    HOOKS,
    LOG_PROCESSORS,
    LOOPS,
    MODEL_WRAPPERS,
    MODELS,
    RUNNERS,
    STRATEGIES,
    VISBACKENDS,
    VISUALIZERS,
    WEIGHT_INITIALIZERS,
    Registry,
    UnknownNameError,
)


@pytest.mark.parametrize(
    ("registry", "name"),
    [
        (HOOKS, "EMAHook"),
        (LOOPS, "EpochBasedTrainLoop"),
        (STRATEGIES, "DDPStrategy"),
        (DATA_SAMPLERS, "InfiniteSampler"),
        (FUNCTIONS, "pseudo_collate"),
        (MODELS, "ImgDataPreprocessor"),
        (MODEL_WRAPPERS, "MMDistributedDataParallel"),
        (WEIGHT_INITIALIZERS, "Kaiming"),
        (VISUALIZERS, "Visualizer"),
        (VISBACKENDS, "TensorboardVisBackend"),
        (LOG_PROCESSORS, "LogProcessor"),
    ],
    ids=lambda value: value.name if isinstance(value, Registry) else value,
)
def test_each_kind_of_part_is_found_by_name(registry: Registry[object], name: str) -> None:
    assert registry.resolve(name).__module__.startswith("tk_runner.")


def test_the_entry_point_names_this_module() -> None:
    project = Path(__file__).parents[1] / "pyproject.toml"
    if not project.exists():
        pytest.skip("the tests lie outside of the source tree")

    assert f'tk-runner = "{tk_runner.registration.__name__}"' in project.read_text()


@pytest.mark.parametrize(
    ("registry", "name", "advice"),
    [
        (STRATEGIES, "DeepSpeedStrategy", "use DDPStrategy"),
        (MODEL_WRAPPERS, "MMFullyShardedDataParallel", "use DDPStrategy"),
        (VISBACKENDS, "NeptuneVisBackend", "use TensorboardVisBackend"),
        (RUNNERS, "FlexibleRunner", "use Runner"),
    ],
    ids=lambda value: value.name if isinstance(value, Registry) else value,
)
def test_what_is_left_out_is_answered_with_what_to_use(
    registry: Registry[object], name: str, advice: str
) -> None:
    with pytest.raises(UnknownNameError, match=advice) as caught:
        registry.resolve(name)

    assert "did you mean" not in str(caught.value)
