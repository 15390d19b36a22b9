from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tk_runner.checkpoint import UnsafeCheckpointError
from tk_runner.checkpoint.file_names import bare_file_name, file_part


@pytest.mark.parametrize("name", ["a/b", "../../etc/x", "a\\b\0c\nd:e", "x" * 500, "ö" * 300])
def test_any_name_becomes_a_part_of_a_file_name(name: str, tmp_path: Path) -> None:
    (tmp_path / f"best_{file_part(name)}_epoch_1.pth").touch()

    assert len(list(tmp_path.iterdir())) == 1


def test_names_that_are_cut_stay_apart() -> None:
    assert file_part("x" * 500) != file_part("x" * 501)
    assert file_part("toy/share") == "toy_share"


@pytest.mark.parametrize("name", ["../a.pth", "/a.pth", "b/a.pth", "b\\a.pth", "..", "", "a\0", 3])
def test_what_could_lead_out_of_the_folder_is_not_a_bare_name(name: Any) -> None:
    with pytest.raises(UnsafeCheckpointError, match="not the bare name of a file"):
        bare_file_name(name)


def test_a_bare_name_stays() -> None:
    assert bare_file_name("best_acc_epoch_1.pth") == "best_acc_epoch_1.pth"
