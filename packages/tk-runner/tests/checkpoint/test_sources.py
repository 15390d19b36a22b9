from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from file_server import FileServer, served
from small_states import same, state_after, write_state

from tk_fileio import MissingExtraError
from tk_runner.checkpoint import (
    CheckpointError,
    CheckpointLoader,
    SchemeTakenError,
    read_checkpoint,
    save_checkpoint,
    sources,
)


def test_a_file_in_a_store_is_read_anew_each_time(memory: str) -> None:
    for iteration in (1, 2):
        save_checkpoint(state_after(iteration), f"{memory}/latest.pth")

        assert same(read_checkpoint(f"{memory}/latest.pth"), state_after(iteration))


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
