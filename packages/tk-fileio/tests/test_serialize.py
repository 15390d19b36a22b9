from __future__ import annotations

import io
import pickle
import tracemalloc
from pathlib import Path

import pytest
from loopback_server import LoopbackServer

import tk_fileio
from tk_fileio import UnknownFormatError, UntrustedSourceError


class Canary:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.path,))


@pytest.mark.parametrize("place", ["local", "file URI", "memory", "open file"])
def test_a_pickle_is_refused_and_its_code_does_not_run(
    place: str, memory: str, tmp_path: Path
) -> None:
    content = pickle.dumps(Canary(tmp_path / "canary"))
    local = tmp_path / "a.pkl"
    file = {
        "local": local,
        "file URI": local.as_uri(),
        "memory": f"{memory}/a.pkl",
        "open file": io.BytesIO(content),
    }[place]
    local.write_bytes(content)
    tk_fileio.put(content, f"{memory}/a.pkl")

    with pytest.raises(UntrustedSourceError, match=r"could run code.*trusted=True"):
        tk_fileio.load(file, file_format="pickle")
    assert not (tmp_path / "canary").exists()


def test_a_pickle_over_http_is_refused_before_it_is_fetched(server: LoopbackServer) -> None:
    server.files["/a"] = pickle.dumps(1)

    with pytest.raises(UntrustedSourceError, match="could run code"):
        tk_fileio.load(f"{server.url}/a", file_format="pickle")
    assert server.requests == []


def test_a_pickle_is_read_where_that_is_asked_for(memory: str, tmp_path: Path) -> None:
    for place in (f"{memory}/a.pkl", tmp_path / "a.pkl", (tmp_path / "a.pkl").as_uri()):
        tk_fileio.dump({"a": 1}, place)

        assert tk_fileio.load(place, trusted=True) == {"a": 1}


def test_inside_the_block_pickles_are_read_by_code_that_does_not_ask(tmp_path: Path) -> None:
    tk_fileio.dump({"a": 1}, tmp_path / "a.pkl")

    with tk_fileio.trust_pickles():
        assert tk_fileio.load(tmp_path / "a.pkl") == {"a": 1}
    with pytest.raises(UntrustedSourceError):
        tk_fileio.load(tmp_path / "a.pkl")


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_data_goes_through_any_store(memory: str, suffix: str) -> None:
    pytest.importorskip("yaml")
    tk_fileio.dump({"ü": [1]}, f"{memory}/new/a.{suffix}")

    assert tk_fileio.load(f"{memory}/new/a.{suffix}") == {"ü": [1]}


def test_dumping_to_nothing_needs_a_format() -> None:
    with pytest.raises(ValueError, match="file_format"):
        tk_fileio.dump(1)


def test_an_open_file_needs_a_format() -> None:
    with pytest.raises(UnknownFormatError, match="an open file has no suffix"):
        tk_fileio.load(io.StringIO("{}"))
    with pytest.raises(TypeError, match="an open file has no suffix"):
        tk_fileio.dump(1, io.StringIO())


def test_other_things_are_no_files() -> None:
    with pytest.raises(TypeError, match=r"a list .* neither a path nor an open file.*read\(\)"):
        tk_fileio.load([1], file_format="json")  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(TypeError, match=r"a int \(3\) .*write\(\)"):
        tk_fileio.dump(1, 3, file_format="json")  # type: ignore[arg-type]  # the point of the test


def test_the_old_name_of_backend_args_is_explained(tmp_path: Path) -> None:
    for call in (tk_fileio.load, tk_fileio.dump):
        with pytest.raises(TypeError, match="backend_args"):
            call(tmp_path / "a.json", file_client_args={"backend": "disk"})  # type: ignore[operator]  # both


def test_a_text_that_is_not_utf_8_names_the_byte(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'{"a": "\xfc"}')

    with pytest.raises(tk_fileio.ParseError, match=r"a\.json: not UTF-8 text: .* at byte 7"):
        tk_fileio.load(tmp_path / "a.json")


def test_big_values_are_not_held_twice(tmp_path: Path) -> None:
    size_bytes = 64 << 20
    value = [bytes(1 << 20) for _ in range(64)]
    tracemalloc.start()
    try:
        tk_fileio.dump(value, tmp_path / "a.pkl")
        written_bytes = tracemalloc.get_traced_memory()[1]
        del value
        tracemalloc.reset_peak()
        back = tk_fileio.load(tmp_path / "a.pkl", trusted=True)
        read_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert sum(map(len, back)) == size_bytes
    assert written_bytes < size_bytes // 8
    assert read_bytes < size_bytes * 1.2


def test_json_is_written_piece_by_piece(tmp_path: Path) -> None:
    value = [12345678] * 500_000
    tracemalloc.start()
    try:
        tk_fileio.dump(value, tmp_path / "a.json")
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (tmp_path / "a.json").stat().st_size == 5_000_000
    assert peak_bytes < 1 << 20
