"""Where checkpoints come from: a scheme to a function that gives a local file."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import torch

from tk_fileio import atomic_write, open_read

from ..optional import require
from .errors import CheckpointError, CorruptCheckpointError

Fetch = Callable[[str], Path]
SAFE_TORCH = (2, 10)  # older safe loaders have a known hole: CVE-2026-24747
_HASH_IN_NAME = re.compile(r"-([0-9a-f]{8,})\.")


def cache_folder() -> Path:
    """Where fetched files are kept: ``TKIT_HOME``, else the user's cache."""
    base = os.environ.get("TKIT_HOME") or Path.home() / ".cache" / "tk"
    return Path(base) / "checkpoints"


class CheckpointLoader:
    """Finds a checkpoint by its scheme; others may register theirs."""

    _schemes: ClassVar[dict[str, Fetch]] = {}

    @classmethod
    def register_scheme(
        cls, prefixes: str | list[str], loader: Fetch | None = None, force: bool = False
    ) -> Any:
        """Let ``loader`` fetch what begins with one of the prefixes; also a decorator.

        Args:
            prefixes: such as ``"hf://"``.
            loader: gets the whole name, gives a local path.
            force: replace one that is there.

        Raises:
            CheckpointError: a prefix is taken.
        """
        names = [prefixes] if isinstance(prefixes, str) else list(prefixes)

        def register(function: Fetch) -> Fetch:
            for name in names:
                if name in cls._schemes and not force:
                    raise CheckpointError(
                        f"{name!r} is registered already; pass force=True to replace"
                    )
                cls._schemes[name] = function
            return function

        return register(loader) if loader is not None else register

    @classmethod
    def local_copy(cls, filename: str) -> Path:
        """A local file with the content of ``filename``."""
        for prefix in sorted(cls._schemes, key=len, reverse=True):
            if filename.startswith(prefix):
                return cls._schemes[prefix](filename)
        if "://" in filename:
            return _fetch_uri(filename)
        return Path(filename).expanduser()


def _refuse_strangers_on_old_torch(name: str) -> None:
    version = tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2])
    if version < SAFE_TORCH:
        raise CheckpointError(
            f"{name} comes from elsewhere, and the safe loader of torch {torch.__version__} has a "
            "known hole; update torch to 2.10 or newer, or download the file and check it yourself"
        )


def _fetch_uri(uri: str) -> Path:
    """Download once into the cache; a hash in the name must be that of the content."""
    _refuse_strangers_on_old_torch(uri)
    name = re.sub(r"[^\w.\-]+", "_", uri.rpartition("/")[2]) or "checkpoint"
    folder = hashlib.sha256(uri.encode()).hexdigest()[:16]
    target = cache_folder() / folder / name
    if target.exists():
        return target
    digest = hashlib.sha256()
    with open_read(uri) as source, atomic_write(target) as file:
        while chunk := source.read(2**20):
            digest.update(chunk)
            file.write(chunk)
        expected = _HASH_IN_NAME.search(name)
        if expected and not digest.hexdigest().startswith(expected[1]):
            raise CorruptCheckpointError(
                f"{uri} does not have the hash in its name: expected {expected[1]}, got "
                f"{digest.hexdigest()[: len(expected[1])]}; it was changed or torn on the way"
            )
    return target


@CheckpointLoader.register_scheme("torchvision://")
def _from_torchvision(name: str) -> Path:
    """``torchvision://resnet50`` or ``torchvision://resnet50.IMAGENET1K_V2``."""
    models = require("torchvision.models", extra="torchvision", purpose=f"loading {name}")
    model, _, weights = name.removeprefix("torchvision://").partition(".")
    choices = models.get_model_weights(model)
    return _fetch_uri((choices[weights] if weights else choices.DEFAULT).url)


@CheckpointLoader.register_scheme("hf://")
def _from_hugging_face(name: str) -> Path:
    """``hf://owner/repository/file``."""
    hub = require("huggingface_hub", extra="hf", purpose=f"loading {name}")
    _refuse_strangers_on_old_torch(name)
    owner, repository, file = name.removeprefix("hf://").split("/", 2)
    return Path(hub.hf_hub_download(f"{owner}/{repository}", file))


@CheckpointLoader.register_scheme("timm://")
def _from_timm(name: str) -> Path:
    """``timm://model``: the default weights that timm knows."""
    timm = require("timm", extra="timm", purpose=f"loading {name}")
    config = timm.get_pretrained_cfg(name.removeprefix("timm://"))
    if config is None or not config.url:
        raise CheckpointError(f"timm knows no weights for {name!r}")
    return _fetch_uri(config.url)
