"""Where checkpoints come from: a scheme to a function that fetches what begins with it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tk_fileio import copyfile_to_local, require

from .downloads import download, refuse_strangers_on_old_torch
from .errors import CheckpointError, SchemeTakenError

# Gets the whole name and map_location; gives a local path, or the content itself.
Source = Callable[[str, Any], str | Path | Mapping[str, Any]]

_sources: dict[str, Source] = {}


def add_source(prefix: str, source: Source, *, force: bool = False) -> None:
    """Let ``source`` fetch what begins with ``prefix``.

    Raises:
        SchemeTakenError: it is taken, and not to be replaced.
    """
    if prefix in _sources and not force:
        raise SchemeTakenError(f"{prefix!r} has a loader already; pass force=True to replace it")
    _sources[prefix] = source


@contextmanager
def fetched(
    filename: str, map_location: Any = "cpu", backend_args: Mapping[str, Any] | None = None
) -> Iterator[Path | Mapping[str, Any]]:
    """A local file with the content of ``filename``, or the content, for the time of the block.

    The longest registered prefix decides; then any URI that tk_fileio opens; the
    rest are local paths, where ``~`` is the user's folder.
    """
    for prefix in sorted(_sources, key=len, reverse=True):
        if filename.startswith(prefix):
            found = _sources[prefix](filename, map_location)
            yield found if isinstance(found, Mapping) else Path(found)
            return
    if "://" not in filename or filename.startswith("file://"):
        path = Path(filename.removeprefix("file://")).expanduser()
        if not path.exists():
            raise FileNotFoundError(
                f"there is no checkpoint at {path}; find_latest_checkpoint gives the newest of a "
                "work folder"
            )
        if path.is_dir():
            raise IsADirectoryError(
                f"{path} is a folder; name a file, such as what find_latest_checkpoint gives"
            )
        if not path.is_file():
            raise CheckpointError(
                f"{path} is a pipe or a device; copy its content to a file and name that"
            )
        yield path
        return
    refuse_strangers_on_old_torch(filename)
    with tempfile.TemporaryDirectory(prefix="tk-runner-", ignore_cleanup_errors=True) as folder:
        # Not kept: the next file of this name may be another one.
        target = str(Path(folder, f"fetched{Path(filename).suffix}"))
        yield Path(copyfile_to_local(filename, target, backend_args=backend_args))


def _from_http(name: str, map_location: Any) -> Path:
    return download(name)


def _from_torchvision(name: str, map_location: Any) -> Path:
    """``torchvision://resnet50`` or ``torchvision://resnet50.IMAGENET1K_V2``."""
    models = require(
        "torchvision.models", install="tk-runner[torchvision]", purpose=f"loading {name}"
    )
    model, _, weights = name.partition("://")[2].partition(".")
    try:
        choices = models.get_model_weights(model)
        chosen = choices[weights] if weights else choices.DEFAULT
    except (ValueError, KeyError) as error:
        raise CheckpointError(f"torchvision has no weights {name!r}: {error}") from error
    return download(chosen.url)


def _from_hugging_face(name: str, map_location: Any) -> Path:
    """``hf://owner/repository/file``, or with a revision ``hf://owner/repository@main/file``."""
    hub = require("huggingface_hub", install="tk-runner[hf]", purpose=f"loading {name}")
    refuse_strangers_on_old_torch(name)
    parts = name.removeprefix("hf://").split("/", 2)
    if len(parts) != 3 or not all(parts):
        raise CheckpointError(f"{name!r} is not of the form hf://owner/repository/file")
    owner, repository, file = parts
    repository, _, revision = repository.partition("@")
    return Path(hub.hf_hub_download(f"{owner}/{repository}", file, revision=revision or None))


def _from_timm(name: str, map_location: Any) -> Path:
    """``timm://model``: the default weights that timm knows."""
    timm = require("timm", install="tk-runner[timm]", purpose=f"loading {name}")
    config = timm.get_pretrained_cfg(name.removeprefix("timm://"))
    if config is None or not config.url:
        raise CheckpointError(
            f"timm has no address of weights for {name!r}; timm.list_pretrained() lists its models"
        )
    return download(config.url)


for _prefix, _source in (
    ("http://", _from_http),
    ("https://", _from_http),
    ("torchvision://", _from_torchvision),
    ("modelzoo://", _from_torchvision),
    ("hf://", _from_hugging_face),
    ("timm://", _from_timm),
):
    add_source(_prefix, _source)
