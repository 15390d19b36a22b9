"""Reading a checkpoint without running code.

torch's safe loader reads tensors and builtins. A file that asks for more is
refused by name, unless it is one of MMEngine's, whose few classes of plain data
are known. Nothing is ever tried again in an unsafe way, and no text in a file is
parsed or executed.
"""

from __future__ import annotations

import io
import logging
import pickle
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from tk_fileio import require

from .archive import Archive, is_archive, verify_checkpoint
from .contents import migrated
from .errors import CheckpointError, CorruptCheckpointError, UnsafeCheckpointError
from .expanded import refuse_huge_repeats
from .mmengine_format.reader import (
    read_as_data,
    read_mmengine_checkpoint,
    refuse_costly_keys,
)
from .sources import Source, add_source, fetched

_REFUSED_NAME = re.compile(r"GLOBAL ([\w.]+)")
_REFUSED_FORM = re.compile(r"WeightsUnpickler error:\s*(.+)")
_REFUSED_CALL = re.compile(r"(?:unrecognized function|Can only (?:create|build)) (.+)", re.I)


def read_checkpoint(
    filename: str | Path,
    map_location: Any = "cpu",
    verify: bool = False,
    *,
    mmap: bool = True,
    backend_args: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The content of a checkpoint, wherever it lies.

    Args:
        filename: a path or a URI; see `CheckpointLoader`.
        map_location: where tensors go; as for ``torch.load``.
        verify: compare every record's checksum first, where the file has checksums;
            those of torch before 1.6 and of safetensors have none.
        mmap: map the file instead of copying it: its tensors are read when they
            are used, and the file's space is freed only after them. Writing to
            them does not change the file. Keep False for tensors that outlive a
            file which others may overwrite in place.
        backend_args: of the file backend, for a URI.

    Raises:
        FileNotFoundError: there is no such file.
        CorruptCheckpointError: it is torn, damaged or no checkpoint.
        UnsafeCheckpointError: loading it would run code; the text has what it asks for.
        CheckpointError: it was written by a newer version, or cannot go to ``map_location``.
    """
    with fetched(str(filename), map_location, backend_args) as found:
        if isinstance(found, Mapping):
            return migrated(dict(found), filename)
        if verify and is_archive(found):
            verify_checkpoint(found)
        content = _load(found, _known_location(map_location), mmap=mmap)
        refuse_huge_repeats(content, str(filename), found.stat().st_size)
        if not isinstance(content, dict):
            raise CorruptCheckpointError(f"{filename} holds a {type(content).__name__}, not a dict")
        return migrated(content, filename)


def _known_location(map_location: Any) -> Any:
    """The argument, where it can be meant."""
    if not isinstance(map_location, (str, torch.device)):
        return map_location
    try:
        device = torch.device(map_location)
    except RuntimeError as error:
        raise CheckpointError(
            f"map_location={map_location!r} is no device: {str(error).splitlines()[0]}"
        ) from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise CheckpointError(
            f"map_location={str(map_location)!r}, and there is no CUDA device here; use 'cpu'"
        )
    return device


def _load(path: Path, map_location: Any, *, mmap: bool) -> Any:
    if path.suffix == ".safetensors":
        tensors = require("safetensors.torch", install="tk-runner[hf]", purpose=f"reading {path}")
        return tensors.load_file(path, device=str(map_location or "cpu"))
    has_table = is_archive(path)
    if has_table:
        with Archive.open(path) as archive:
            if "constants.pkl" in archive.records:
                raise UnsafeCheckpointError(
                    f"{path} is a TorchScript program, not a checkpoint; load it with "
                    "torch.jit.load if you trust it"
                )
            if mmap and map_location == torch.device("cpu"):
                content = _own_content(archive, map_location)
                if content is not None:
                    return content
            refuse_costly_keys(archive)
    try:
        with warnings.catch_warnings():
            # the pickle protocol of a foreign file; torch's typed storages in old files
            warnings.simplefilter("ignore")
            # A pickle may claim strings of any length; from memory it gets what is there.
            source = path if has_table else io.BytesIO(path.read_bytes())
            return torch.load(
                source, map_location=map_location, weights_only=True, mmap=mmap and has_table
            )
    except pickle.UnpicklingError as error:
        asked = _asked_for(str(error))
        if asked is not None:
            return read_mmengine_checkpoint(path, map_location, asked)
        found = _REFUSED_FORM.search(str(error))  # without torch's advice to load it unsafely
        reason = found[1] if found else "it is no file of torch.save"
        raise CorruptCheckpointError(
            f"{path} is no checkpoint that can be loaded safely: {reason}"
        ) from error
    except (OSError, MemoryError):
        raise
    except Exception as error:  # what a damaged or foreign pickle raises is anything
        raise _explained(path, error, has_table=has_table) from error


def _own_content(archive: Archive, device: torch.device) -> dict[str, Any] | None:
    """The content of a file of our format; None where it is another one.

    A file of ours holds plain values alone, so that our reader of such values
    gives what torch's gives, in 0.4 of the time.
    """
    if b"format_version" not in archive.read("data.pkl"):
        return None
    try:
        content = read_as_data(archive, device)
    except MemoryError:
        raise
    except Exception:  # torch's reader judges it
        return None
    return content if isinstance(content, dict) and "format_version" in content else None


def _asked_for(text: str) -> str | None:
    """What the safe loader refused, where that is what happened."""
    found = _REFUSED_NAME.search(text) or _REFUSED_CALL.search(text)
    return found[1] if found else None


def _explained(path: Path, error: Exception, *, has_table: bool) -> CheckpointError:
    """A torn file where the checksums say so; else the reason that torch gave."""
    if "deserialize object on" in str(error):
        return CheckpointError(
            f"{path} has tensors of a device that is not here; pass map_location='cpu'"
        )
    if has_table:
        try:
            verify_checkpoint(path)
        except CorruptCheckpointError as found:
            return found
    size = path.stat().st_size
    return CorruptCheckpointError(
        f"{path} ({size} bytes) is torn or no checkpoint: {_first_line(error)}"
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


class CheckpointLoader:
    """Finds a checkpoint by the beginning of its name.

    Known: local paths; ``http(s)://``, downloaded once; ``torchvision://model``,
    ``timm://model`` and ``hf://owner/repository/file``, where those packages are
    there; and any other URI that tk_fileio opens, such as ``s3://``.
    """

    @classmethod
    def register_scheme(
        cls, prefixes: str | Sequence[str], loader: Source | None = None, force: bool = False
    ) -> Any:
        """Let ``loader`` load what begins with one of the prefixes; also a decorator.

        Args:
            prefixes: such as ``"models://"``; the longest that fits is taken.
            loader: gets the whole name and map_location; gives a local path, which
                is then read safely, or the content itself.
            force: replace one that is there.

        Raises:
            SchemeTakenError: a prefix is taken.
        """
        names = [prefixes] if isinstance(prefixes, str) else list(prefixes)

        def register(source: Source) -> Source:
            for name in names:
                add_source(name, source, force=force)
            return source

        return register(loader) if loader is not None else register

    @classmethod
    def load_checkpoint(
        cls, filename: str, map_location: Any = "cpu", logger: logging.Logger | str | None = None
    ) -> dict[str, Any]:
        """The content of a checkpoint; see `read_checkpoint`."""
        if isinstance(logger, logging.Logger):
            logger.info("loads checkpoint from %s", filename)
        return read_checkpoint(filename, map_location=map_location)
