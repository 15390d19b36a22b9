from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from loopback_server import LoopbackServer

import tk_fileio


@pytest.mark.parametrize("store", ["local", "memory"])
def test_each_function_works_in_each_store(store: str, memory: str, tmp_path: Path) -> None:
    root = memory if store == "memory" else str(tmp_path / "root")
    file = tk_fileio.join_path(root, "d", "a.txt")

    tk_fileio.put_text("ü", file)
    assert tk_fileio.get(file) == "ü".encode()
    assert tk_fileio.get_text(file) == "ü"
    assert tk_fileio.exists(file)
    assert tk_fileio.isfile(file)
    assert tk_fileio.isdir(tk_fileio.join_path(root, "d"))
    with tk_fileio.open_write(file) as writer:
        writer.write(b"new")
    with tk_fileio.open_read(file) as reader:
        assert reader.read() == b"new"
    with tk_fileio.get_local_path(file) as path:
        assert Path(path).read_bytes() == b"new"
    tk_fileio.copyfile(file, tk_fileio.join_path(root, "d", "b.txt"))
    tk_fileio.copytree(tk_fileio.join_path(root, "d"), tk_fileio.join_path(root, "e"))
    assert list(tk_fileio.list_dir_or_file(root, recursive=True)) == [
        "d", "d/a.txt", "d/b.txt", "e", "e/a.txt", "e/b.txt",
    ]  # fmt: skip
    tk_fileio.remove(file)
    tk_fileio.rmtree(tk_fileio.join_path(root, "e"))
    assert list(tk_fileio.list_dir_or_file(root, recursive=True)) == ["d", "d/b.txt"]


@pytest.mark.parametrize("call", [tk_fileio.copyfile, tk_fileio.copyfile_from_local])
def test_a_file_goes_up(memory: str, tmp_path: Path, call: object) -> None:
    (tmp_path / "a").write_bytes(b"x")

    assert call(tmp_path / "a", f"{memory}/a") == f"{memory}/a"  # type: ignore[operator]  # one of two
    assert tk_fileio.get(f"{memory}/a") == b"x"


@pytest.mark.parametrize("call", [tk_fileio.copyfile, tk_fileio.copyfile_to_local])
def test_a_file_comes_down(memory: str, tmp_path: Path, call: object) -> None:
    tk_fileio.put(b"x", f"{memory}/a")

    assert call(f"{memory}/a", tmp_path / "a") == str(tmp_path / "a")  # type: ignore[operator]  # one of two
    assert (tmp_path / "a").read_bytes() == b"x"


@pytest.mark.parametrize("call", [tk_fileio.copytree, tk_fileio.copytree_from_local])
def test_a_tree_goes_up(memory: str, tmp_path: Path, call: object) -> None:
    tk_fileio.put(b"x", tmp_path / "tree" / "sub" / "a")

    call(tmp_path / "tree", f"{memory}/tree")  # type: ignore[operator]  # one of two

    assert tk_fileio.get(f"{memory}/tree/sub/a") == b"x"


@pytest.mark.parametrize("call", [tk_fileio.copytree, tk_fileio.copytree_to_local])
def test_a_tree_comes_down(memory: str, tmp_path: Path, call: object) -> None:
    tk_fileio.put(b"x", f"{memory}/tree/sub/a")

    call(f"{memory}/tree", tmp_path / "tree")  # type: ignore[operator]  # one of two

    assert (tmp_path / "tree" / "sub" / "a").read_bytes() == b"x"


def test_a_file_goes_from_one_remote_store_to_another(server: LoopbackServer, memory: str) -> None:
    server.files["/a"] = b"x"

    tk_fileio.copyfile(f"{server.url}/a", f"{memory}/a")

    assert tk_fileio.get(f"{memory}/a") == b"x"


def test_backend_args_are_for_the_side_that_is_not_local(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.files["/a"] = b"x"
    server.faults = [503]

    with pytest.raises(tk_fileio.RemoteError):
        tk_fileio.copyfile(f"{server.url}/a", tmp_path / "a", backend_args={"attempts": 1})
    assert len(server.requests) == 1


def test_a_big_file_passes_in_pieces(memory: str, tmp_path: Path) -> None:
    with tk_fileio.open_write(tmp_path / "big") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        tk_fileio.copyfile(tmp_path / "big", tmp_path / "copy")
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (tmp_path / "copy").stat().st_size == 64 << 20
    assert peak_bytes < 4 << 20


def test_a_big_download_passes_in_pieces(server: LoopbackServer, tmp_path: Path) -> None:
    server.files["/big"] = bytes(64 << 20)
    tk_fileio.exists(f"{server.url}/big")  # the client is imported before it is measured
    tracemalloc.start()
    try:
        tk_fileio.copyfile(f"{server.url}/big", tmp_path / "copy")
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (tmp_path / "copy").stat().st_size == 64 << 20
    assert peak_bytes < 24 << 20  # three pieces of fsspec, 5 MB each, and the socket
