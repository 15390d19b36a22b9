from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from format_suite import FormatSuite

import tk_fileio
from tk_fileio import BaseFileHandler, SerializeError
from tk_fileio.formats.pickle_format import PickleHandler


class TestPickle(FormatSuite):
    @pytest.fixture
    def handler(self) -> BaseFileHandler:
        return PickleHandler()

    @pytest.fixture(autouse=True)
    def trusted(self) -> Iterator[None]:
        with tk_fileio.trust_pickles():
            yield

    @pytest.fixture(params=["pkl", "pickle"])
    def suffix(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def example(self) -> tuple[bytes, Any]:
        return pickle.dumps({"a": (1, {2})}), {"a": (1, {2})}


class Job:
    def __init__(self, on_end: Callable[[], object]) -> None:
        self.settings = {"on_end": on_end}


def test_an_attribute_that_cannot_be_pickled_is_located() -> None:
    with pytest.raises(SerializeError, match=r"obj\[0\]\.settings\['on_end'\].*function"):
        tk_fileio.dump([Job(lambda: 0)], file_format="pkl")


def test_the_protocol_is_that_of_python_unless_asked(tmp_path: Path) -> None:
    assert tk_fileio.dump(1, file_format="pkl") == pickle.dumps(1)
    assert tk_fileio.dump(1, file_format="pkl", protocol=2) == pickle.dumps(1, protocol=2)
