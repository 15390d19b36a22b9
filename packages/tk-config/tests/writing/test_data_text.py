from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tk_config import Config, DumpError
from tk_config.writing.diff import same

given = pytest.importorskip("hypothesis").given


LAW = settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


texts = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="'\"\\\n{}$_base.fileDrnm:é\u2028", max_size=20),
    st.sampled_from(
        [
            "{{fileDirname}}",
            "{{$X:1}}",
            "{{_base_.a}}",
            "{{'{{'}}x",
            "1e-3",
            "yes",
            "null",
            "~",
            "0x1",
        ]
    ),
)


RESERVED = {"filename", "text", "pretty_text", "env_variables", "_deprecation_", "custom_imports"}


data_leaves = st.one_of(texts, st.integers(-(2**60), 2**60), st.floats(), st.booleans(), st.none())


data_trees = st.dictionaries(
    texts.filter(lambda key: key not in RESERVED | {"_base_"}),
    st.recursive(
        data_leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.lists(inner, max_size=3).map(tuple),
            st.dictionaries(texts, inner, max_size=4),
        ),
        max_leaves=12,
    ),
    max_size=5,
)


def without_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_tuples(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_tuples(item) for item in value]
    return value


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
@LAW
@given(tree=data_trees)
def test_json_and_yaml_load_back_equal_but_for_tuples(
    tmp_path: Path, suffix: str, tree: dict[Any, Any]
) -> None:
    cfg = Config(tree)
    path = tmp_path / f"a{suffix}"
    cfg.dump(path)

    assert same(Config.fromfile(path).to_dict(), without_tuples(cfg.to_dict()))


def test_toml_is_only_read(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"TOML is only read.*dump to \.py"):
        Config({"a": 1}).dump(tmp_path / "a.toml")


def test_a_key_that_json_cannot_hold_is_an_error() -> None:
    with pytest.raises(DumpError, match=r"a: the key 1 cannot be written as JSON"):
        Config({"a": {1: 2}}).dump_text(".json")
    assert Config.fromstring(Config({"a": {1: 2}}).dump_text(".yaml"), ".yaml") == {"a": {1: 2}}
