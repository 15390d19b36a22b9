from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import textwrap
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tk_fileio
from tk_fileio import atomic, atomic_write, remove_leftovers

OLD, NEW = b"old content", b"new content, and longer"
NUM_WRITES = 3


def write_new(path: Path) -> None:
    with atomic_write(path) as file:
        for piece in (NEW[:5], NEW[5:9], NEW[9:]):
            file.write(piece)
            file.flush()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "checkpoint.pth"
    path.write_bytes(OLD)
    return path


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def test_the_file_appears_when_the_block_ends(target: Path) -> None:
    with atomic_write(target) as file:
        file.write(NEW)
        file.flush()
        assert target.read_bytes() == OLD

    assert target.read_bytes() == NEW
    assert os.listdir(target.parent) == [target.name]


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt(), SystemExit(3)])
def test_an_error_in_the_block_leaves_the_old_file(target: Path, error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, atomic_write(target) as file:  # noqa: PT012  # the block fails
        file.write(NEW)
        raise error

    assert caught.value is error
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == [target.name]


def test_parents_are_made(tmp_path: Path) -> None:
    write_new(tmp_path / "a" / "b" / "c")

    assert (tmp_path / "a" / "b" / "c").read_bytes() == NEW


def test_text_is_utf_8_unless_said(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a", "w") as file:
        file.write("ü\n")
    with atomic_write(tmp_path / "b", "w", encoding="latin-1", newline="\r\n") as file:
        file.write("ü\n")

    assert (tmp_path / "a").read_bytes() == "ü\n".encode()
    assert (tmp_path / "b").read_bytes() == b"\xfc\r\n"


def test_a_plus_mode_reads_back_and_seeks(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a", "w+b") as file:
        file.write(b"0123")
        file.seek(1)
        assert file.read(2) == b"12"
        file.write(b"x")

    assert (tmp_path / "a").read_bytes() == b"012x"


@pytest.mark.parametrize("mode", ["a", "ab", "r+", "x", "rb"])
def test_modes_that_keep_the_old_content_are_refused(target: Path, mode: str) -> None:
    with (
        pytest.raises(ValueError, match=f"mode '{mode[0]}.*as a whole"),
        atomic_write(target, mode),  # type: ignore[call-overload]  # the point of the test
    ):
        pass


def test_a_block_may_close_the_file(target: Path) -> None:
    with atomic_write(target) as file:
        file.write(NEW)
        file.close()

    assert target.read_bytes() == NEW


def test_a_change_of_folder_does_not_move_the_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)

    with atomic_write("a") as file:
        file.write(b"x")
        os.chdir("elsewhere")

    assert (tmp_path / "a").read_bytes() == b"x"


def test_a_name_of_full_length_can_be_written(tmp_path: Path) -> None:
    for name in ("a" * 255, "世" * 85):
        write_new(tmp_path / name)

        assert (tmp_path / name).read_bytes() == NEW


def test_of_two_writers_the_last_to_finish_wins_whole(target: Path) -> None:
    with atomic_write(target) as slow:
        slow.write(b"slow " * 10_000)
        with atomic_write(target) as fast:
            fast.write(b"fast")
        assert target.read_bytes() == b"fast"
        slow.write(b"end")

    assert target.read_bytes() == b"slow " * 10_000 + b"end"
    assert os.listdir(target.parent) == [target.name]


# rights and links


def test_a_new_file_has_the_mode_that_open_gives(tmp_path: Path, umask: None) -> None:
    write_new(tmp_path / "ours")
    (tmp_path / "plain").write_bytes(NEW)

    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ours", "plain")]
    assert modes == [0o640, 0o640]


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_replaced_file_keeps_its_mode(target: Path, umask: None, mode: int) -> None:
    target.chmod(mode)

    write_new(target)

    assert stat.S_IMODE(target.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_a_replaced_file_keeps_its_owner(target: Path) -> None:
    os.chown(target, 12345, 54321)

    write_new(target)

    assert (target.stat().st_uid, target.stat().st_gid) == (12345, 54321)


def test_a_link_is_replaced_and_not_followed(target: Path, umask: None) -> None:
    link = target.with_name("latest")
    link.symlink_to(target.name)

    write_new(link)

    assert not link.is_symlink()
    assert link.read_bytes() == NEW
    assert target.read_bytes() == OLD
    assert stat.S_IMODE(link.stat().st_mode) == 0o640


@pytest.mark.parametrize("goal", ["absent", "self"])
def test_a_broken_link_is_replaced(tmp_path: Path, goal: str) -> None:
    link = tmp_path / "self"
    link.symlink_to(goal)

    write_new(link)

    assert link.read_bytes() == NEW
    assert not (tmp_path / "absent").exists()


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    with pytest.raises(IsADirectoryError, match="folder"):
        write_new(tmp_path / "folder")


def test_a_write_protected_file_stays(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anything

    with pytest.raises(PermissionError, match=r"write-protected: '.*checkpoint\.pth'"):
        write_new(target)
    assert target.read_bytes() == OLD


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
@pytest.mark.parametrize("by_link", [False, True])
def test_a_device_or_pipe_is_not_replaced(tmp_path: Path, by_link: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")

    with pytest.raises(OSError, match="pipe"):
        write_new(tmp_path / ("link" if by_link else "pipe"))
    assert stat.S_ISFIFO((tmp_path / "link").stat().st_mode)


# every operation fails, or the process dies there

Fault = Callable[[str], None]


class Faults:
    """Stands in for ``os``: calls ``strike`` at the n-th operation on files."""

    NAMES = ("open", "fdopen", "fsync", "close", "fchmod", "fchown", "replace", "write", "flush")

    def __init__(self, at: int, strike: Fault) -> None:
        self.at, self.strike = at, strike
        self.done: list[str] = []

    def step(self, name: str) -> None:
        self.done.append(name)
        if len(self.done) == self.at:
            self.strike(name)

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in self.NAMES:
            return real

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.step(name)
            made = real(*args, **kwargs)
            return CountedFile(made, self) if name == "fdopen" else made

        return counted


class CountedFile:
    def __init__(self, file: Any, faults: Faults) -> None:
        self._file, self._faults = file, faults

    def write(self, data: bytes) -> int:
        self._faults.step("write")
        return int(self._file.write(data))

    def flush(self) -> None:
        self._faults.step("flush")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def armed(at: int, strike: Fault, patch: pytest.MonkeyPatch) -> Faults:
    faults = Faults(at, strike)
    real_replace = Path.replace

    def replace(self: Path, target: Path) -> Path:
        faults.step("replace")
        return real_replace(self, target)

    patch.setattr(atomic, "os", faults)
    patch.setattr(Path, "replace", replace)
    return faults


def operations(folder: Path) -> list[str]:
    """The operations that one write takes, in order."""
    (folder / "sample").write_bytes(OLD)
    with pytest.MonkeyPatch.context() as patch:
        faults = armed(0, lambda _: None, patch)
        write_new(folder / "sample")
    (folder / "sample").unlink()
    return faults.done


def test_the_bytes_are_on_disk_before_the_name_is(tmp_path: Path) -> None:
    done = operations(tmp_path)

    # stage open, ..., all writes, fsync of the file, rename, then the folder
    assert done.index("write") < done.index("fsync") < done.index("replace")
    assert done.count("write") == NUM_WRITES
    assert done[-4:] == ["close", "open", "fsync", "close"]
    assert done.index("replace") < len(done) - 4 + 1


def test_forcing_to_disk_can_be_left_out(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faults = armed(0, lambda _: None, monkeypatch)

    with atomic_write(target, fsync=False) as file:
        file.write(NEW)

    assert "fsync" not in faults.done
    assert target.read_bytes() == NEW


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_whichever_operation_fails_the_file_is_old_or_new(tmp_path: Path, code: int) -> None:
    done = operations(tmp_path)
    replaced = done.index("replace") + 1

    def fail(name: str) -> None:
        raise OSError(code, os.strerror(code))

    for at in range(1, len(done) + 1):
        target = tmp_path / f"{at}.pth"
        target.write_bytes(OLD)
        with pytest.MonkeyPatch.context() as patch:
            armed(at, fail, patch)
            with pytest.raises(OSError, match=os.strerror(code)) as caught:
                write_new(target)
        # Once renamed, the new file stands whole even if the folder was not forced to disk.
        assert target.read_bytes() == (OLD if at <= replaced else NEW), done[at - 1]
        assert sorted(os.listdir(tmp_path)) == [target.name], done[at - 1]
        if done[at - 1] in ("write", "flush", "fsync", "replace") and at <= replaced:
            assert str(target) in str(caught.value)
        target.unlink()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_wherever_the_process_dies_the_file_is_old_or_new(tmp_path: Path) -> None:
    done = operations(tmp_path)
    replaced = done.index("replace") + 1

    for at in range(1, len(done) + 1):
        target = tmp_path / "a.pth"
        target.write_bytes(OLD)
        child = os.fork()
        if child == 0:
            patch = pytest.MonkeyPatch()
            armed(at, lambda _: os._exit(9), patch)
            try:
                write_new(target)
            finally:
                os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        assert target.read_bytes() == (OLD if at <= replaced else NEW), done[at - 1]
        remove_leftovers(tmp_path)
        assert os.listdir(tmp_path) == ["a.pth"], done[at - 1]


def run_script(text: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on this system")
@pytest.mark.parametrize("limit_bytes", [0, 1, 4096, 99_999])
def test_a_write_that_the_kernel_refuses_leaves_the_old_file(
    target: Path, limit_bytes: int
) -> None:
    script = """
        import resource, signal, sys
        import tk_fileio
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
        try:
            tk_fileio.put(bytes(100_000), sys.argv[1])
        except OSError as error:
            print(error)
    """
    done = run_script(script, target, limit_bytes)

    assert "File too large" in done.stdout
    assert str(target) in done.stdout
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == [target.name]


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 kB."""
    mount = tmp_path / "small"
    mount.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(mount)]
    try:
        done = subprocess.run(command, capture_output=True, check=False).returncode
    except FileNotFoundError:
        done = 1
    if done != 0:
        pytest.skip("no right to mount here; the injected ENOSPC above covers it")
    yield mount
    subprocess.run(["umount", str(mount)], check=True)


def test_a_full_disk_leaves_the_old_file_and_no_other(full_disk: Path) -> None:
    target = full_disk / "a.pth"
    target.write_bytes(OLD)

    with (  # noqa: PT012  # the block is what fails
        pytest.raises(OSError, match=r"No space left on device: '.*a\.pth'"),
        atomic_write(target) as file,
    ):
        for _ in range(100):
            file.write(bytes(10_000))

    assert target.read_bytes() == OLD
    assert os.listdir(full_disk) == ["a.pth"]
    write_new(target)
    assert target.read_bytes() == NEW


# leftovers


def test_what_a_killed_writer_leaves_is_removed(target: Path) -> None:
    script = """
        import os, sys
        import tk_fileio
        with tk_fileio.atomic_write(sys.argv[1]) as file:
            file.write(b"half")
            file.flush()
            os.kill(os.getpid(), 9)
    """
    assert run_script(script, target).returncode == -9
    assert len(os.listdir(target.parent)) == 2

    removed = remove_leftovers(target.parent)

    assert [path.name.startswith(".checkpoint.pth.") for path in removed] == [True]
    assert os.listdir(target.parent) == [target.name]


def test_what_is_being_written_is_not_removed(target: Path) -> None:
    with atomic_write(target) as file:
        file.write(NEW)

        assert remove_leftovers(target.parent) == []

    assert target.read_bytes() == NEW


@pytest.mark.parametrize("spelling", ["link", "..", "relative", "link to a parent"])
def test_what_is_being_written_is_kept_however_its_folder_is_spelled(
    tmp_path: Path, spelling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "real" / "run"
    folder.mkdir(parents=True)
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "parent").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    spelled = {
        "link": tmp_path / "link",
        "..": folder / ".." / "run",
        "relative": Path("real/run"),
        "link to a parent": tmp_path / "parent" / "run",
    }[spelling]
    with atomic_write(folder / "a.pth") as file:
        file.write(NEW)

        assert remove_leftovers(spelled) == []

    assert (folder / "a.pth").read_bytes() == NEW
    with atomic_write(spelled / "b.pth") as file:
        file.write(NEW)

        assert remove_leftovers(folder) == []

    assert (folder / "b.pth").read_bytes() == NEW


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes with names on this system")
def test_a_pipe_that_is_called_like_a_leftover_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".a.0123.tk-part")

    assert remove_leftovers(tmp_path) == []


def test_what_another_process_writes_is_not_removed(target: Path) -> None:
    script = """
        import sys
        import tk_fileio
        print([path.name for path in tk_fileio.remove_leftovers(sys.argv[1])])
    """
    with atomic_write(target) as file:
        file.write(NEW)
        done = run_script(script, target.parent)

    assert done.stdout.strip() == "[]", done.stderr
    assert target.read_bytes() == NEW


def test_a_data_loading_process_does_not_keep_a_leftover_alive(target: Path) -> None:
    script = """
        import os, sys
        import tk_fileio
        with tk_fileio.atomic_write(sys.argv[1]) as file:
            file.write(b"half")
            file.flush()
            gate = os.pipe()
            if os.fork() == 0:
                os.close(0), os.close(1), os.close(2)
                os.read(gate[0], 1)  # outlives its parent: it holds the other end itself
                os._exit(0)
            print("child", flush=True)
            os.kill(os.getpid(), 9)
    """
    script = script.replace("os.read(gate[0], 1)", "import time; time.sleep(2)")
    assert run_script(script, target).returncode == -9

    assert len(remove_leftovers(target.parent)) == 1


# big files


def test_a_big_file_is_not_held(tmp_path: Path) -> None:
    piece = bytes(1 << 20)
    tracemalloc.start()
    try:
        with atomic_write(tmp_path / "big") as file:
            for _ in range(64):
                file.write(piece)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (tmp_path / "big").stat().st_size == 64 << 20
    assert peak_bytes < 1 << 20


# addresses


def test_a_file_uri_is_a_local_path(tmp_path: Path) -> None:
    with atomic_write((tmp_path / "a b").as_uri()) as file:
        file.write(NEW)

    assert (tmp_path / "a b").read_bytes() == NEW


def test_a_remote_uri_is_not_taken_for_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ValueError, match="open_write"), atomic_write("s3://bucket/key"):
        pass
    assert os.listdir(tmp_path) == []


# a full disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if os.name != "posix" or os.geteuid() != 0 or subprocess.run(command, check=False).returncode:
        pytest.skip("needs root, to mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.parametrize("free_kb", [0, 4])
@pytest.mark.parametrize("kind", ["bytes", "text", "json", "copy"])
def test_a_full_disk_is_one_error_that_names_the_file(
    small_disk: Path, free_kb: int, kind: str, tmp_path: Path
) -> None:
    target = small_disk / "a.json"
    (tmp_path / "source").write_bytes(bytes(50_000))
    target.write_bytes(OLD)
    (small_disk / "filling").write_bytes(bytes((64 - 4 - free_kb) * 1024))
    writers: dict[str, Callable[[], Any]] = {
        "bytes": lambda: tk_fileio.put(bytes(50_000), target),
        "text": lambda: tk_fileio.put_text("x" * 50_000, target),
        "json": lambda: tk_fileio.dump(list(range(20_000)), target),
        "copy": lambda: tk_fileio.copyfile(tmp_path / "source", target),
    }

    with pytest.raises(OSError, match=r"No space left on device: .*a\.json") as caught:
        writers[kind]()

    assert caught.value.errno == errno.ENOSPC
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert target.read_bytes() == OLD
    assert sorted(os.listdir(small_disk)) == ["a.json", "filling"]
