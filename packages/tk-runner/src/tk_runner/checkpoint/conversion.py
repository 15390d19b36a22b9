"""Weights from one form of file into another; the suffix of the target says which."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from tk_fileio import atomic_write, require

from .errors import CheckpointError
from .read import read_checkpoint
from .save import save_checkpoint
from .weights import weights_of

SAFETENSORS = ".safetensors"


def convert_checkpoint(source: str | Path, target: str | Path) -> None:
    """Write the weights of a checkpoint, and what its ``meta`` says, in the form of ``target``.

    ``.safetensors`` holds tensors, and ``meta`` as JSON; any other suffix a file
    of ``torch.save`` with ``meta`` and ``state_dict``.

    Raises:
        CheckpointError: a weight is not a tensor and the target holds tensors only,
            or source and target are one file.
    """
    if Path(source).resolve() == Path(target).resolve():
        raise CheckpointError(f"{source} cannot be converted into itself; name another target")
    content = read_checkpoint(source, verify=True)
    write_weights(weights_of(content), target, meta=_meta_of(content))


def write_weights(
    weights: Mapping[str, Any], target: str | Path, meta: Mapping[str, Any] | None = None
) -> None:
    """Write weights alone as a file, whole or not at all; see `convert_checkpoint`."""
    if Path(target).suffix == SAFETENSORS:
        _write_safetensors(weights, Path(target), meta or {})
    else:
        save_checkpoint({"meta": dict(meta or {}), "state_dict": weights}, target)


def _meta_of(content: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = content.get("meta")
    return meta if "state_dict" in content and isinstance(meta, Mapping) else {}


def _write_safetensors(weights: Mapping[str, Any], target: Path, meta: Mapping[str, Any]) -> None:
    library = require("safetensors.torch", install="tk-runner[hf]", purpose=f"writing {target}")
    others = [name for name, value in weights.items() if not isinstance(value, torch.Tensor)]
    if others:
        raise CheckpointError(
            f"{target} can hold tensors only, and these weights are none: {', '.join(others)}; "
            "write a .pth file"
        )
    # safetensors refuses tensors that share memory, such as tied weights.
    separate = {name: value.contiguous().clone() for name, value in weights.items()}
    described = {"format": "pt", "meta": json.dumps(dict(meta), default=str)}
    with atomic_write(target) as file:
        file.write(library.save(separate, metadata=described))
