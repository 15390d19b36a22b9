"""Files that try to run code: nothing of them runs, and the refusal says what they asked for."""

from __future__ import annotations

import copyreg
import pickle
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch
from archives import (
    HISTORY,
    after_a_history,
    call,
    content,
    name,
    number,
    numbers,
    storage,
    text,
    write_archive,
)
from small_states import write_state

from tk_runner.checkpoint import (
    CheckpointError,
    UnsafeCheckpointError,
    find_latest_checkpoint,
    read_checkpoint,
)

GET = name("__builtin__", "getattr")
HISTORY_CLASS = name("mmengine.logging.history_buffer", "HistoryBuffer")


def attacks(canary: Path) -> dict[str, bytes]:
    """Values of a pickle, each of which would write the canary if it were believed."""
    shell = text(f"touch {canary}")
    code = text(f"open({str(canary)!r}, 'w').close()")
    inner = pickle.dumps(Bomb(canary), protocol=2)
    raw = b"B" + struct.pack("<I", len(inner)) + inner
    short = f"touch {canary}".encode()
    return {
        "os.system": call(name("os", "system"), shell),
        "posix.system": call(name("posix", "system"), shell),
        "subprocess.getoutput": call(name("subprocess", "getoutput"), shell),
        "builtins.exec": call(name("builtins", "exec"), code),
        "__builtin__.eval": call(name("__builtin__", "eval"), code),
        "builtins.open": call(name("builtins", "open"), text(str(canary)), text("w")),
        "builtins.__import__": call(name("builtins", "__import__"), text("os")),
        "pathlib.Path.touch": call(name("pathlib", "Path"), text(str(canary))),
        "functools.partial": call(name("functools", "partial"), name("os", "system"), shell),
        "operator.attrgetter": call(name("operator", "attrgetter"), text("system")),
        "runpy.run_path": call(name("runpy", "run_path"), text(str(canary))),
        "pickle.loads": call(name("pickle", "loads"), raw),
        "torch.storage._load_from_bytes": call(name("torch.storage", "_load_from_bytes"), raw),
        "torch.load": call(name("torch", "load"), text(str(canary))),
        "torch.jit.load": call(name("torch.jit", "load"), text(str(canary))),
        "torch.hub.load": call(name("torch.hub", "load"), shell),
        "numpy.load": call(name("numpy", "load"), text(str(canary))),
        "numpy.fromfile": call(name("numpy", "fromfile"), text(str(canary))),
        "alias in an allowed module": call(name("collections", "_sys.modules"), shell),
        "dotted name of an allowed class": call(
            name("mmengine.logging.history_buffer", "HistoryBuffer.__init__.__globals__"), shell
        ),
        "getattr of a class": call(call(GET, HISTORY_CLASS, text("__reduce_ex__")), number(2)),
        "getattr of a function": call(
            call(GET, name("torch._utils", "_rebuild_tensor_v2"), text("__globals__")), shell
        ),
        "an old way to make an instance": b"(" + shell + b"ios\nsystem\n",
        "another old way": b"(" + name("os", "system") + shell + b"o",
        "stack global": text("os") + text("system") + b"\x93(" + shell + b"tR",
        "an extension": b"\x82\x07(" + shell + b"tR",
        "new object": name("os", "system") + b"(" + shell + b"t\x81",
        "new object with keywords": name("os", "system") + b"(" + shell + b"t}\x92",
        "state of a function": name("torch._utils", "_rebuild_tensor_v2") + b"}N\x86b",
        "state of a class": name("collections", "OrderedDict") + b"}" + text("x") + HISTORY + b"sb",
        "storage that is none": b"(" + text("module") + name("os", "system") + shell * 3 + b"tQ",
        "text id of a storage": b"P" + short + b"\n",
        "allowed function as a value": name("__builtin__", "getattr"),
        "array of objects": call(name("numpy", "dtype"), text("O8"), b"\x89", b"\x88"),
        "array with fields": call(name("numpy", "dtype"), text("V8"), b"\x89", b"\x88"),
    }  # fmt: skip


class Bomb:
    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> object:
        return (open, (str(self.canary), "w"))


ATTACKS = list(attacks(Path("canary")))


@pytest.mark.parametrize("kind", ATTACKS)
@pytest.mark.parametrize("wrap", [content, after_a_history], ids=["plain", "like MMEngine's"])
def test_an_attack_is_refused_and_runs_nothing(tmp_path: Path, kind: str, wrap: object) -> None:
    canary = tmp_path / "canary"
    path = write_archive(
        tmp_path / "iter_1.pth",
        wrap(attacks(canary)[kind]),  # type: ignore[operator]
        {"data/0": bytes(4)},
    )

    with pytest.raises(CheckpointError, match=r"iter_1\.pth (asks for|is no checkpoint)"):
        read_checkpoint(path)

    assert not canary.exists()


@pytest.mark.parametrize("kind", ATTACKS)
def test_looking_for_the_newest_file_runs_nothing_either(tmp_path: Path, kind: str) -> None:
    canary = tmp_path / "canary"
    write_archive(tmp_path / "iter_9.pth", after_a_history(attacks(canary)[kind]))
    good = write_state(tmp_path, 1)

    assert find_latest_checkpoint(tmp_path) is not None
    assert not canary.exists()
    assert good.exists()


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("os.system", r"asks for os\.system on loading, which could run code; it was refused"),
        ("builtins.exec", r"asks for (builtins\.)?exec"),
        ("getattr of a class", "asks for calling a NoneType"),
        ("allowed function as a value", "asks for a Call as a value"),
        ("state of a function", "asks for setting the state of a Call"),
    ],
)
def test_the_refusal_says_what_was_asked_for(tmp_path: Path, kind: str, asked: str) -> None:
    path = write_archive(tmp_path / "a.pth", after_a_history(attacks(tmp_path / "c")[kind]))

    with pytest.raises(UnsafeCheckpointError, match=asked):
        read_checkpoint(path)


@pytest.mark.parametrize("is_zip", [True, False], ids=["archive", "old torch"])
def test_an_object_with_a_way_to_be_made_is_refused(tmp_path: Path, is_zip: bool) -> None:
    canary = tmp_path / "canary"
    path = tmp_path / "a.pth"
    torch.save({"x": Bomb(canary)}, path, _use_new_zipfile_serialization=is_zip)

    with pytest.raises(UnsafeCheckpointError, match=r"a\.pth asks for \w+\.open"):
        read_checkpoint(path)

    assert not canary.exists()


def test_a_pickle_hidden_in_a_tensor_stays_bytes(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    hidden = torch.frombuffer(bytearray(pickle.dumps(Bomb(canary))), dtype=torch.uint8)
    torch.save({"state_dict": {"w": hidden}}, tmp_path / "a.pth")

    found = read_checkpoint(tmp_path / "a.pth", verify=True)

    assert torch.equal(found["state_dict"]["w"], hidden)
    assert not canary.exists()


def test_the_text_of_a_config_is_only_text(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    config = f"__import__('os').system('touch {canary}')"
    torch.save({"meta": {"cfg": config, "config": config}}, tmp_path / "a.pth")

    assert read_checkpoint(tmp_path / "a.pth")["meta"]["cfg"] == config
    assert not canary.exists()


def test_an_extension_of_this_process_is_not_reached(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    copyreg.add_extension("builtins", "open", 7)
    try:
        opened = b"\x82\x07(" + text(str(canary)) + text("w") + b"tR"
        path = write_archive(tmp_path / "a.pth", after_a_history(opened))

        with pytest.raises(CheckpointError, match=r"a\.pth is no checkpoint"):
            read_checkpoint(path)
    finally:
        copyreg.remove_extension("builtins", "open", 7)

    assert not canary.exists()


def test_real_functions_and_classes_stay_as_they_are(tmp_path: Path) -> None:
    before = torch._utils._rebuild_tensor_v2.__defaults__
    allowed = list(torch.serialization.get_safe_globals())
    for kind in ("state of a function", "state of a class"):
        path = write_archive(tmp_path / "a.pth", after_a_history(attacks(tmp_path / "c")[kind]))
        with pytest.raises(CheckpointError):
            read_checkpoint(path)

    assert torch._utils._rebuild_tensor_v2.__defaults__ == before
    assert torch.serialization.get_safe_globals() == allowed


def test_a_huge_memo_index_costs_nothing(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a.pth", after_a_history(b"Nr\xff\xff\xff\x7f"))

    assert read_checkpoint(path)["state_dict"] is None


def test_shared_lists_do_not_multiply(tmp_path: Path) -> None:
    laughs = b"]q\x00" + b"".join(
        b"]q"
        + bytes([n])
        + (b"h" + bytes([n - 1])) * 0
        + (b"(" + (b"h" + bytes([n - 1])) * 9 + b"e")
        for n in range(1, 60)
    )
    keep_last = b"q\x7f" + b"h\x7f"
    value = b"(" + laughs + keep_last + b"t"

    content = read_checkpoint(write_archive(tmp_path / "a.pth", after_a_history(value)))

    assert len(content["state_dict"][-1]) == 9


def test_what_contains_itself_is_refused(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a.pth", after_a_history(b"]q\x01h\x01a"))

    with pytest.raises(CheckpointError, match="something in it contains itself"):
        read_checkpoint(path)


def test_endless_nesting_is_an_error_like_others(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a.pth", after_a_history(b"N" + b"\x85" * 100_000))

    with pytest.raises(CheckpointError, match=r"a\.pth is no checkpoint: RecursionError"):
        read_checkpoint(path)


def test_a_program_of_torchscript_is_refused(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a.pth", content(text("x")), {"constants.pkl": b"\x80\x02)."})

    with pytest.raises(UnsafeCheckpointError, match=r"a\.pth is a TorchScript program"):
        read_checkpoint(path)


@pytest.mark.parametrize("seed", range(40))
def test_random_damage_inside_a_pickle_is_an_error_of_ours_or_nothing(
    tmp_path: Path, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    pickled = bytearray(
        after_a_history(
            call(
                name("torch._utils", "_rebuild_tensor_v2"),
                storage("0", 1), number(0), numbers(1), numbers(1), b"\x89", b"N",
            )
        )
    )  # fmt: skip
    for _ in range(3):
        pickled[draw.integers(2, len(pickled))] = draw.integers(256)
    path = write_archive(tmp_path / "a.pth", bytes(pickled), {"data/0": bytes(4)})

    with suppress(CheckpointError):
        read_checkpoint(path)


def test_bytes_that_are_only_claimed_take_no_memory(tmp_path: Path) -> None:
    claimed = b"\x96" + struct.pack("<Q", 2**42)  # a bytearray of 4 TB
    path = write_archive(tmp_path / "a.pth", after_a_history(claimed))

    with pytest.raises(CheckpointError, match=r"a\.pth is no checkpoint"):
        read_checkpoint(path)


@pytest.mark.parametrize("wrap", [content, after_a_history], ids=["plain", "like MMEngine's"])
@pytest.mark.parametrize("kind", ["key", "set", "ordered dict"])
def test_a_key_that_takes_days_to_hash_is_refused(
    tmp_path: Path, wrap: Callable[[bytes], bytes], kind: str
) -> None:
    nested = b"N" + b"\x85" + b"2\x86" * 60  # each tuple holds the one before twice
    values = {
        "key": b"}" + nested + b"Ns",
        "set": b"\x8f(" + nested + b"\x90",
        "ordered dict": call(name("collections", "OrderedDict"), b"](" + nested + b"N\x86e"),
    }
    path = write_archive(tmp_path / "a.pth", wrap(values[kind]))

    with pytest.raises(CheckpointError, match=r"a\.pth is no checkpoint"):
        read_checkpoint(path)
    assert find_latest_checkpoint(tmp_path) is None
