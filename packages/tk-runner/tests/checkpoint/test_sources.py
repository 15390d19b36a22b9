from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from file_server import FileServer
from small_states import same, state_after, write_state

from tk_fileio import MissingExtraError
from tk_runner.checkpoint import (
    CheckpointError,
    CheckpointLoader,
    CorruptCheckpointError,
    SchemeTakenError,
    read_checkpoint,
    save_checkpoint,
    sources,
)


def served(server: FileServer, tmp_path: Path, name: str = "net-{hash}.pth") -> str:
    """The address of a checkpoint whose name has a hash; ``{hash}`` is the right one."""
    content = write_state(tmp_path, 1).read_bytes()
    path = "/" + name.format(hash=hashlib.sha256(content).hexdigest()[:8])
    server.files[path] = content
    return server.url + path


def test_a_download_is_checked_kept_and_used_again(server: FileServer, tmp_path: Path) -> None:
    url = served(server, tmp_path)

    assert same(read_checkpoint(url), state_after(1))
    assert same(read_checkpoint(url), state_after(1))
    assert len(server.requests) == 1
    assert list((tmp_path / "home" / "checkpoints").glob("*/net-*.pth"))


def test_a_download_with_another_hash_is_refused_and_not_kept(
    server: FileServer, tmp_path: Path
) -> None:
    url = served(server, tmp_path, "net-0123abcd.pth")

    with pytest.raises(CorruptCheckpointError, match=r"expected 0123abcd, got [0-9a-f]{8};"):
        read_checkpoint(url)

    assert not list((tmp_path / "home").rglob("*.pth"))


@pytest.mark.parametrize("name", ["plain.pth", "..%2F..%2Fevil.pth", ".hidden"])
def test_a_name_from_elsewhere_stays_in_the_folder_of_downloads(
    server: FileServer, tmp_path: Path, name: str
) -> None:
    url = served(server, tmp_path, name)

    assert same(read_checkpoint(url + "?download=1#here"), state_after(1))
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and "lock" not in path.name]
    assert {path.parent.parent for path in kept if path.name != "iter_1.pth"} == {
        tmp_path / "home" / "checkpoints"
    }


def test_a_missing_download_is_named(server: FileServer) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.pth"):
        read_checkpoint(f"{server.url}/nothing.pth")


def test_a_file_in_a_store_is_read_anew_each_time(memory: str) -> None:
    for iteration in (1, 2):
        save_checkpoint(state_after(iteration), f"{memory}/latest.pth")

        assert same(read_checkpoint(f"{memory}/latest.pth"), state_after(iteration))


def test_an_old_torch_refuses_files_from_elsewhere(
    monkeypatch: pytest.MonkeyPatch, memory: str, tmp_path: Path
) -> None:
    monkeypatch.setattr(torch, "__version__", "2.9.1+cpu")

    for name in (f"{memory}/a.pth", "https://example.invalid/a.pth"):
        with pytest.raises(CheckpointError, match=r"torch 2\.9\.1.* has a known hole"):
            read_checkpoint(name)
    assert same(read_checkpoint(write_state(tmp_path, 1)), state_after(1))


@pytest.fixture
def own_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    monkeypatch.setattr(sources, "_sources", dict(sources._sources))


@pytest.mark.usefixtures("own_table")
def test_a_scheme_may_give_a_path_or_the_content(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)

    @CheckpointLoader.register_scheme("models://")
    def from_models(name: str, map_location: Any) -> Path:
        return tmp_path / name.removeprefix("models://")

    CheckpointLoader.register_scheme(["models://hub/", "hub:"], lambda name, where: {"name": name})

    assert same(read_checkpoint(f"models://{path.name}"), state_after(1))
    assert read_checkpoint("models://hub/x") == {"name": "models://hub/x"}  # the longest counts
    assert CheckpointLoader.load_checkpoint("hub:x") == {"name": "hub:x"}


@pytest.mark.usefixtures("own_table")
def test_a_scheme_is_taken_once_unless_forced() -> None:
    CheckpointLoader.register_scheme("a://", lambda name, where: {"by": 1})

    with pytest.raises(SchemeTakenError, match=r"^'a://' has a loader already; pass force=True"):
        CheckpointLoader.register_scheme("a://", lambda name, where: {"by": 2})
    with pytest.raises(KeyError):
        CheckpointLoader.register_scheme("a://", lambda name, where: {"by": 2})
    CheckpointLoader.register_scheme("a://", lambda name, where: {"by": 3}, force=True)
    assert read_checkpoint("a://x") == {"by": 3}


def test_the_folder_of_the_user_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write_state(tmp_path, 1)

    assert same(read_checkpoint("~/iter_1.pth"), state_after(1))


def pretend(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    """Put a module in the place of an optional package."""
    module = ModuleType(name)
    vars(module).update(members)
    parent = name.partition(".")[0]
    if parent != name:
        monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
    monkeypatch.setitem(sys.modules, name, module)


def test_hugging_face_files_come_through_its_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def hf_hub_download(repository: str, file: str, revision: str | None = None) -> str:
        asked.append((repository, file, revision))
        return str(tmp_path / "iter_1.pth")

    write_state(tmp_path, 1)
    pretend(monkeypatch, "huggingface_hub", hf_hub_download=hf_hub_download)

    assert same(read_checkpoint("hf://me/net/weights/a.pth"), state_after(1))
    read_checkpoint("hf://me/net@v2/a.pth")
    assert asked == [("me/net", "weights/a.pth", None), ("me/net", "a.pth", "v2")]
    with pytest.raises(CheckpointError, match="not of the form hf://owner/repository/file"):
        read_checkpoint("hf://me/net")


def test_timm_weights_come_from_the_address_it_knows(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"resnet18": SimpleNamespace(url=served(server, tmp_path))}
    pretend(monkeypatch, "timm", get_pretrained_cfg=known.get)

    assert same(read_checkpoint("timm://resnet18"), state_after(1))
    with pytest.raises(CheckpointError, match="timm has no address of weights for 'timm://x'"):
        read_checkpoint("timm://x")


def test_torchvision_weights_come_from_the_address_it_knows(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Choices(dict[str, Any]):
        DEFAULT = SimpleNamespace(url=served(server, tmp_path))

    def get_model_weights(name: str) -> Any:
        if name != "resnet18":
            raise ValueError(f"unknown model {name}")
        return Choices(V1=Choices.DEFAULT)

    pretend(monkeypatch, "torchvision.models", get_model_weights=get_model_weights)

    for name in ("torchvision://resnet18", "torchvision://resnet18.V1", "modelzoo://resnet18"):
        assert same(read_checkpoint(name), state_after(1))
    for name in ("torchvision://resnet18.V9", "torchvision://vgg"):
        with pytest.raises(CheckpointError, match="torchvision has no weights 'torchvision://"):
            read_checkpoint(name)


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("hf://me/net/a.pth", "huggingface_hub"),
        ("timm://resnet18", "timm"),
        ("torchvision://resnet18", "torchvision"),
    ],
)
def test_a_missing_package_is_one_sentence(name: str, package: str) -> None:
    if importlib.util.find_spec(package) is not None:
        pytest.skip(f"{package} is installed here")

    with pytest.raises(MissingExtraError, match=rf"needs the package .{package}.*pip install"):
        read_checkpoint(name)
