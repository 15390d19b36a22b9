from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tk_runner.data import AnnotationError, BaseDataset
from tk_runner.data.annotations import below_root, joined, read_annotations


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([], "holds list; expected a dict"),
        ({"metainfo": {}}, "has no 'data_list'; its keys are"),
        ({"metainfo": [], "data_list": []}, "'metainfo' in .*a.json is list; make it a dict"),
        ({"metainfo": {}, "data_list": {}}, "'data_list' in .*a.json is dict; make it a list"),
    ],
)
def test_a_file_of_another_form_is_named_with_what_is_wrong(
    content: Any, text: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content))

    with pytest.raises(AnnotationError, match=text):
        read_annotations(str(path))


def test_an_error_of_an_annotation_names_it_and_its_file(tmp_path: Path) -> None:
    class Sizes(BaseDataset):
        def parse_data_info(self, raw_data_info: Any) -> Any:
            return {"size": raw_data_info["size"]}

    path = tmp_path / "a.json"
    path.write_text(json.dumps({"metainfo": {}, "data_list": [{"size": 1}, {}]}))

    with pytest.raises(KeyError, match="size") as caught:
        Sizes(str(path))
    assert "annotation 1 of" in str(getattr(caught.value, "__notes__", caught.value.args))
    assert "a.json" in str(getattr(caught.value, "__notes__", caught.value.args))


@pytest.mark.parametrize(
    ("root", "path", "expected"),
    [
        ("/r", "a/b", "/r/a/b"),
        ("/r", "/a", "/a"),
        ("/r", "s3://b/x", "s3://b/x"),
        ("", "a", "a"),
        ("/r", "", "/r/"),
    ],
)
def test_relative_paths_go_below_the_root(root: str, path: str, expected: str) -> None:
    assert below_root(root, path) == expected


def test_local_paths_are_joined() -> None:
    assert joined("", "a.jpg") == "a.jpg"
    assert joined("images", "a.jpg") == "images/a.jpg"
