from __future__ import annotations

from pathlib import Path

import pytest

from tk_runner.checkpoint.file_names import file_part


@pytest.mark.parametrize("name", ["a/b", "../../etc/x", "a\\b\0c\nd:e", "x" * 500, "ö" * 300])
def test_any_name_becomes_a_part_of_a_file_name(name: str, tmp_path: Path) -> None:
    (tmp_path / f"best_{file_part(name)}_epoch_1.pth").touch()

    assert len(list(tmp_path.iterdir())) == 1


def test_names_that_are_cut_stay_apart() -> None:
    assert file_part("x" * 500) != file_part("x" * 501)
    assert file_part("toy/share") == "toy_share"
