"""What every storage backend does; a subclass provides ``backend`` and ``root``."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tk_fileio import BaseStorageBackend

CONTENT = {
    "binary": bytes(range(256)) * 10,
    "empty": b"",
    "unicode": "Grüße, 世界 \U0001f600\r\n".encode(),
}


class ReadingSuite:
    """The part that a store which only reads has as well; ``stored`` puts a file there."""

    def stored(self, name: str, content: bytes) -> str:
        raise NotImplementedError

    @pytest.mark.parametrize("content", CONTENT.values(), ids=CONTENT)
    def test_a_file_is_read_unchanged(self, backend: BaseStorageBackend, content: bytes) -> None:
        address = self.stored("a.bin", content)

        assert backend.get(address) == content

    def test_text_keeps_its_line_ends(self, backend: BaseStorageBackend) -> None:
        address = self.stored("a.txt", "ü\r\nb\n".encode())

        assert backend.get_text(address) == "ü\r\nb\n"

    def test_text_is_decoded_as_asked(self, backend: BaseStorageBackend) -> None:
        address = self.stored("a.txt", "ü".encode("latin-1"))

        assert backend.get_text(address, "latin-1") == "ü"

    def test_a_missing_file_is_named(self, backend: BaseStorageBackend) -> None:
        address = self.stored("zz-here", b"").replace("zz-here", "no-such-key")

        with pytest.raises(FileNotFoundError, match="no-such-key"):
            backend.get(address)

    def test_a_missing_file_cannot_be_opened(self, backend: BaseStorageBackend) -> None:
        address = self.stored("zz-here", b"").replace("zz-here", "no-such-key")

        with (
            pytest.raises(FileNotFoundError, match="no-such-key"),
            backend.open_read(address),
        ):
            pass

    def test_a_stream_gives_the_file_in_pieces(self, backend: BaseStorageBackend) -> None:
        address = self.stored("a.bin", b"0123456789")

        with backend.open_read(address) as file:
            pieces = [file.read(4), file.read(4), file.read(4)]

        assert pieces == [b"0123", b"4567", b"89"]

    def test_it_knows_what_is_there(self, backend: BaseStorageBackend) -> None:
        address = self.stored("zz-here", b"x")

        assert backend.exists(address)
        assert backend.isfile(address)
        assert not backend.isdir(address)
        assert not backend.exists(address.replace("zz-here", "zz-absent"))

    def test_a_local_path_has_the_content_and_the_suffix(self, backend: BaseStorageBackend) -> None:
        address = self.stored("a.txt", b"text")

        with backend.get_local_path(address) as path:
            assert Path(path).read_bytes() == b"text"
            assert Path(path).suffix == ".txt"

        if not backend.is_local:
            assert not Path(path).exists()

    def test_a_local_copy_is_deleted_on_errors(self, backend: BaseStorageBackend) -> None:
        address = self.stored("a.txt", b"text")
        if backend.is_local:
            return  # there is no copy

        with pytest.raises(KeyError, match="mine"), backend.get_local_path(address) as path:
            raise KeyError("mine")

        assert not Path(path).exists()

    def test_a_file_is_copied_to_the_disk(
        self, backend: BaseStorageBackend, tmp_path: Path
    ) -> None:
        address = self.stored("a.txt", b"text")
        target = tmp_path / "sub" / "copy"

        assert backend.copyfile_to_local(address, target) == str(target)
        assert target.read_bytes() == b"text"


class WritingSuite(ReadingSuite):
    """The part of stores that write and delete single files."""

    @pytest.fixture(autouse=True)
    def _give_backend(self, backend: BaseStorageBackend, root: str) -> None:
        self._backend, self._root = backend, root

    def stored(self, name: str, content: bytes) -> str:
        address = self._backend.join_path(self._root, name)
        self._backend.put(content, address)
        return address

    def test_parents_are_made(self, backend: BaseStorageBackend, root: str) -> None:
        address = backend.join_path(root, "new/folder/a.bin")

        backend.put(b"1", address)

        assert backend.get(address) == b"1"

    def test_a_second_put_replaces(self, backend: BaseStorageBackend) -> None:
        address = self.stored("a", b"long before")

        backend.put(b"new", address)

        assert backend.get(address) == b"new"

    def test_text_is_encoded_as_asked(self, backend: BaseStorageBackend, root: str) -> None:
        address = backend.join_path(root, "a.txt")

        backend.put_text("ü\n", address, encoding="latin-1")

        assert backend.get(address) == b"\xfc\n"

    def test_a_stream_is_written_when_its_block_ends(
        self, backend: BaseStorageBackend, root: str
    ) -> None:
        address = backend.join_path(root, "new/a")

        with backend.open_write(address) as file:
            file.write(b"12")
            file.write(b"3")
            assert not backend.exists(address)

        assert backend.get(address) == b"123"

    def test_a_failed_stream_leaves_the_old_file(self, backend: BaseStorageBackend) -> None:
        address = self.stored("a", b"old")

        with pytest.raises(KeyError, match="mine"), backend.open_write(address) as file:  # noqa: PT012  # the block is what fails
            file.write(b"half")
            raise KeyError("mine")

        assert backend.get(address) == b"old"

    def test_a_removed_file_is_gone(self, backend: BaseStorageBackend) -> None:
        address = self.stored("a", b"x")

        backend.remove(address)

        assert not backend.exists(address)

    def test_removing_what_is_absent_is_an_error(
        self, backend: BaseStorageBackend, root: str
    ) -> None:
        with pytest.raises(FileNotFoundError, match="absent"):
            backend.remove(backend.join_path(root, "zz-absent"))

    def test_a_file_is_copied_from_the_disk(
        self, backend: BaseStorageBackend, root: str, tmp_path: Path
    ) -> None:
        source = tmp_path / "source.bin"
        source.write_bytes(b"123")
        address = backend.join_path(root, "copy.bin")

        assert backend.copyfile_from_local(source, address) == address
        assert backend.get(address) == b"123"

    def test_a_file_is_copied_within_the_store(
        self, backend: BaseStorageBackend, root: str
    ) -> None:
        target = backend.join_path(root, "b")

        assert backend.copyfile(self.stored("a", b"x"), target) == target
        assert backend.get(target) == b"x"

    def test_a_file_cannot_be_copied_onto_itself(self, backend: BaseStorageBackend) -> None:
        address = self.stored("a", b"x")

        with pytest.raises(shutil.SameFileError, match="itself"):
            backend.copyfile(address, address)

        assert backend.get(address) == b"x"


TREE = {"b.txt": b"b", "a/one.json": b"1", "a/deep/two.txt": b"2", ".hidden": b"h", ".git/x": b"x"}


class BackendSuite(WritingSuite):
    """All of it: stores with folders."""

    def tree(self) -> str:
        for name, content in TREE.items():
            self.stored(f"tree/{name}", content)
        return self._backend.join_path(self._root, "tree")

    def test_a_listing_is_sorted_and_hides_dot_names(self, backend: BaseStorageBackend) -> None:
        found = list(backend.list_dir_or_file(self.tree(), recursive=True))

        assert found == ["a", "a/deep", "a/deep/two.txt", "a/one.json", "b.txt"]

    @pytest.mark.parametrize(
        ("choice", "expected"),
        [
            ({}, ["a", "b.txt"]),
            ({"list_file": False}, ["a"]),
            ({"list_dir": False}, ["b.txt"]),
            ({"list_file": False, "recursive": True}, ["a", "a/deep"]),
            ({"list_dir": False, "recursive": True, "suffix": ".json"}, ["a/one.json"]),
            (
                {"list_dir": False, "recursive": True, "suffix": (".json", ".txt")},
                ["a/deep/two.txt", "a/one.json", "b.txt"],
            ),
        ],
        ids=str,
    )
    def test_a_listing_shows_what_was_asked_for(
        self, backend: BaseStorageBackend, choice: dict[str, object], expected: list[str]
    ) -> None:
        assert list(backend.list_dir_or_file(self.tree(), **choice)) == expected

    def test_a_missing_folder_is_named_at_once(
        self, backend: BaseStorageBackend, root: str
    ) -> None:
        with pytest.raises(FileNotFoundError, match="absent"):
            backend.list_dir_or_file(backend.join_path(root, "zz-absent"))

    def test_suffixes_select_files_only(self, backend: BaseStorageBackend) -> None:
        with pytest.raises(TypeError, match="list_dir=False"):
            backend.list_dir_or_file(self.tree(), suffix=".txt")

    def test_suffixes_are_not_given_as_a_list(self, backend: BaseStorageBackend) -> None:
        with pytest.raises(TypeError, match="tuple"):
            backend.list_dir_or_file(self.tree(), list_dir=False, suffix=[".txt"])  # type: ignore[arg-type]  # the point of the test

    def test_it_knows_folders(self, backend: BaseStorageBackend) -> None:
        folder = self.tree()

        assert backend.isdir(folder)
        assert backend.exists(folder)
        assert not backend.isfile(folder)

    def test_a_copy_into_a_folder_keeps_its_name(self, backend: BaseStorageBackend) -> None:
        folder = self.tree()

        copy = backend.copyfile(self.stored("c.txt", b"c"), folder)

        assert copy == backend.join_path(folder, "c.txt")
        assert backend.get(copy) == b"c"

    def test_a_tree_is_copied_with_hidden_files(
        self, backend: BaseStorageBackend, root: str
    ) -> None:
        target = backend.join_path(root, "copy/of/tree")

        assert backend.copytree(self.tree(), target) == target
        for name, content in TREE.items():
            assert backend.get(backend.join_path(target, name)) == content

    def test_a_tree_is_not_copied_over_another(self, backend: BaseStorageBackend) -> None:
        folder = self.tree()

        with pytest.raises(FileExistsError, match="tree"):
            backend.copytree(folder, folder)

    def test_a_tree_goes_to_the_disk_and_back(
        self, backend: BaseStorageBackend, root: str, tmp_path: Path
    ) -> None:
        local, back = tmp_path / "local", backend.join_path(root, "back")

        assert backend.copytree_to_local(self.tree(), local) == str(local)
        assert backend.copytree_from_local(local, back) == back

        for name, content in TREE.items():
            assert (local / name).read_bytes() == content
            assert backend.get(backend.join_path(back, name)) == content

    def test_a_folder_is_not_removed_like_a_file(self, backend: BaseStorageBackend) -> None:
        with pytest.raises(IsADirectoryError, match="rmtree"):
            backend.remove(self.tree())

    def test_rmtree_removes_the_folder_and_nothing_else(self, backend: BaseStorageBackend) -> None:
        beside = self.stored("treetop", b"x")
        folder = self.tree()

        backend.rmtree(folder)

        assert not backend.exists(folder)
        assert backend.get(beside) == b"x"

    @pytest.mark.parametrize("name", ["a[1].txt", "a*.txt", "a?.txt", "with space", "a%20b", "a#b"])
    def test_no_character_of_a_name_is_a_pattern(
        self, backend: BaseStorageBackend, name: str
    ) -> None:
        beside = self.stored("a1.txt", b"beside")
        address = self.stored(f"{name}/{name}", b"x")

        assert list(backend.list_dir_or_file(backend.join_path(self._root, name))) == [name]
        assert backend.get(address) == b"x"
        backend.remove(address)
        backend.put(b"x", address)
        backend.rmtree(backend.join_path(self._root, name))
        assert not backend.exists(address)
        assert backend.get(beside) == b"beside"
