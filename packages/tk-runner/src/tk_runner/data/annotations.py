"""The annotation file of a dataset, and the paths in it: local ones and URIs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tk_fileio import join_path, load

from .errors import AnnotationError


def read_annotations(path: str) -> tuple[Mapping[str, Any], list[Any]]:
    """The metainfo and the list of annotations of a file.

    Raises:
        AnnotationError: the file holds something else.
        FileNotFoundError: the file is not there.
    """
    content = load(path)
    if not isinstance(content, Mapping):
        raise AnnotationError(
            f"{path} holds {type(content).__name__}; expected a dict "
            "with the keys 'metainfo' and 'data_list'"
        )
    if missing := [key for key in ("metainfo", "data_list") if key not in content]:
        raise AnnotationError(
            f"{path} has no {' and no '.join(map(repr, missing))}; "
            f"its keys are {sorted(map(str, content))}"
        )
    metainfo, data_list = content["metainfo"], content["data_list"]
    if not isinstance(metainfo, Mapping):
        raise AnnotationError(f"'metainfo' in {path} is {type(metainfo).__name__}; make it a dict")
    if not isinstance(data_list, list):
        raise AnnotationError(
            f"'data_list' in {path} is {type(data_list).__name__}; make it a list, with one dict "
            "for each annotation"
        )
    return metainfo, data_list


def below_root(root: str, path: str) -> str:
    """``path`` below ``root``, unless it is absolute, a URI, or there is no root."""
    if not root or os.path.isabs(path) or "://" in path:  # noqa: PTH117
        return path
    return joined(root, path)


def joined(prefix: str, path: str) -> str:
    """``path`` below ``prefix``; local ones without the 12 microseconds of finding a backend."""
    return join_path(prefix, path) if "://" in prefix else os.path.join(prefix, path)  # noqa: PTH118
