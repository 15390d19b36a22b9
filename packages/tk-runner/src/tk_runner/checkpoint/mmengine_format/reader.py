"""Files that MMEngine wrote, read as plain data in a closed world."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch

from ..archive import Archive, is_archive
from ..errors import CheckpointError, CorruptCheckpointError, UnsafeCheckpointError
from .stand_ins import PLAIN_NAMES, CostlyKeyError, Inert, Table
from .tensors import TensorBuilder
from .unpickler import DisallowedGlobalError, RestrictedUnpickler

_LEAVES = (
    str, bytes, int, float, complex, bool, type(None), torch.Tensor, torch.dtype, torch.device
)  # fmt: skip

_MODES = ("train", "val", "test")
_MOMENT = (
    "loop_stage",
    "dataset_meta",
    *(f"{mode}/{what}" for mode in _MODES for what in ("time", "data_time")),
)


def read_mmengine_checkpoint(path: Path, map_location: Any, asked: str) -> Any:
    """The content of a file, with MMEngine's histories as the state of ours.

    Args:
        path: a local file.
        map_location: a device, or None for the CPU.
        asked: the name that torch's safe loader refused, for the message.

    Raises:
        UnsafeCheckpointError: the file asks for a name outside of the known few.
        CorruptCheckpointError: there is no sense in it.
    """
    if not is_archive(path):
        raise UnsafeCheckpointError(_refusal(path, asked))
    try:
        with Archive.open(path) as archive:
            return _without_the_moment(read_as_data(archive, _device(map_location)))
    except DisallowedGlobalError as error:
        raise UnsafeCheckpointError(_refusal(path, str(error))) from None
    except MemoryError:
        raise
    except CorruptCheckpointError as error:
        raise CorruptCheckpointError(f"{path} is no checkpoint: {error}") from error
    except Exception as error:  # a hostile pickle can fail in any way
        raise CorruptCheckpointError(
            f"{path} is no checkpoint: {type(error).__name__}: {error}"
        ) from error


def read_as_data(archive: Archive, device: torch.device) -> Any:
    """The content of an archive as tensors and plain values; tensors are mapped.

    Raises:
        DisallowedGlobalError: it asks for a name outside of the known few.
        Exception: of any kind, where there is no sense in it.
    """
    builder = TensorBuilder(archive, device)
    names = {**PLAIN_NAMES, **builder.names()}
    content = RestrictedUnpickler(archive.read("data.pkl"), names, builder.storage).load()
    return _Translation().of(content)


def refuse_costly_keys(archive: Archive) -> None:
    """Refuse what would keep torch's reader busy for ever; the rest it judges itself.

    Raises:
        CorruptCheckpointError: a key takes too long to hash.
    """
    pickled = archive.read("data.pkl")
    try:
        RestrictedUnpickler(pickled, PLAIN_NAMES, lambda _: None, is_lenient=True).load()
    except CostlyKeyError as error:
        raise CorruptCheckpointError(f"{archive.name} is no checkpoint: {error}") from error
    except MemoryError:
        raise
    except Exception:  # a pickle of a kind that is not known here
        return


def _without_the_moment(content: Any) -> Any:
    """Leave out the facts about the moment of saving that MMEngine resumes, and we record anew."""
    hub = content.get("message_hub") if isinstance(content, dict) else None
    if isinstance(hub, dict):
        for part in ("log_scalars", "runtime_info", "resumed_keys"):
            if isinstance(hub.get(part), dict):
                hub[part] = {key: one for key, one in hub[part].items() if key not in _MOMENT}
    return content


def _refusal(path: Path, asked: str) -> str:
    return (
        f"{path} asks for {asked} on loading, which could run code; it was refused and nothing of "
        "it was run. If you trust the file, load it where it was written and save tensors and "
        "plain values only"
    )


def _device(map_location: Any) -> torch.device:
    if map_location is None or isinstance(map_location, (str, torch.device)):
        return torch.device(map_location or "cpu")
    raise CheckpointError(
        "files of MMEngine load to one device; give map_location as its name, such as 'cpu'"
    )


class _Translation:
    """Stand-ins as plain values; what two places share stays shared."""

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}
        self._open: set[int] = set()

    def of(self, value: Any) -> Any:
        """The plain value.

        Raises:
            DisallowedGlobalError: a function in the place of a value.
            CorruptCheckpointError: it contains itself.
        """
        if isinstance(value, _LEAVES):
            return value
        known = id(value)
        if known in self._done:
            return self._done[known]
        if known in self._open:
            raise CorruptCheckpointError("something in it contains itself")
        self._open.add(known)
        plain = self._new(value)
        self._open.discard(known)
        self._done[known] = plain
        return plain

    def _new(self, value: Any) -> Any:
        if isinstance(value, Table) and value.metadata is not None:
            kept = OrderedDict((self.of(key), self.of(one)) for key, one in value.items())
            kept._metadata = self.of(value.metadata)  # type: ignore[attr-defined]
            return kept
        if isinstance(value, dict):
            return {self.of(key): self.of(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self.of(one) for one in value)
        if isinstance(value, set):
            return {self.of(one) for one in value}
        if isinstance(value, Inert):
            return value.value()
        raise DisallowedGlobalError(f"a {type(value).__name__} as a value")
