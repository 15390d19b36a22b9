from __future__ import annotations

import pytest

from tk_runner.data.paths import below_root, joined


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
