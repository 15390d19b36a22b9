from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigParsingError,
    ConfigSyntaxError,
)


def test_a_list_at_the_top_of_a_data_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("- 1\n- 2\n")

    with pytest.raises(ConfigParsingError, match="holds a list"):
        Config.fromfile(path)


def test_an_empty_data_file_is_an_empty_config(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("# nothing\n")

    assert Config.fromfile(path) == {}


def test_a_yaml_tag_runs_no_code(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: !!python/object/apply:os.system ['touch hacked']\n")

    with pytest.raises(RuntimeError, match=r"a\.yaml:1:4: .*tag"):
        Config.fromfile(path)


def test_a_value_that_does_not_fit_its_tag_is_an_error_of_the_file(write: Any) -> None:
    with pytest.raises(ConfigSyntaxError, match=r"a\.yaml: cannot be read as YAML .*'abc'"):
        Config.fromfile(write(a_yaml="a: !!bool abc\n"))
