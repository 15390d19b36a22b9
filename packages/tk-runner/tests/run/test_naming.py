from __future__ import annotations

from pathlib import Path

import pytest

from tk_runner.run.naming import claim_log_dir, name_experiment


def test_two_runs_of_one_second_get_different_folders(tmp_path: Path) -> None:
    folders = [claim_log_dir(str(tmp_path / "new")) for _ in range(3)]

    assert len({stamp for stamp, _ in folders}) == 3
    assert all(Path(folder).is_dir() for _, folder in folders)
    assert all(Path(folder).name == stamp for stamp, folder in folders)


@pytest.mark.parametrize(
    ("given", "config", "expected"),
    [
        ("mine", "configs/a.py", "mine_S"),
        (None, "configs/a.py", "a_S"),
        (None, None, "S"),
    ],
    ids=["given", "from the config", "neither"],
)
def test_an_experiment_is_named_after(given: str | None, config: str | None, expected: str) -> None:
    assert name_experiment(given, config, "S") == expected
