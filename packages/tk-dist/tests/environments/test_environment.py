"""What every launcher's environment does."""

from __future__ import annotations

import pytest

from tk_dist.environments import ENVIRONMENTS, Environment


@pytest.mark.parametrize("kind", ENVIRONMENTS, ids=lambda kind: kind.name)
class TestEveryEnvironment:
    def test_nothing_is_detected_without_variables(self, kind: type[Environment]) -> None:
        assert not kind({}).detect()
        assert kind({}).local_rank() is None

    def test_the_remedy_names_the_command(self, kind: type[Environment]) -> None:
        assert "run " in kind({}).remedy()

    def test_the_process_environment_is_the_default(
        self, kind: type[Environment], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "OMPI_COMM_WORLD_LOCAL_RANK"):
            monkeypatch.setenv(name, "1")

        assert kind().detect()
