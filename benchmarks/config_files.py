"""Config files to measure with: a chain of inheritance, and files of many flat keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_chain(folder: Path) -> Path:
    """Write seven files in four levels of inheritance, some 580 values; gives the last."""
    _write(folder / "schedule.py", {"optim_wrapper": _optimizer(), "param_scheduler": _list(6)})
    _write(folder / "runtime.py", {f"runtime_{i}": _block(i, 3) for i in range(15)})
    _write(folder / "dataset.py", {"train": _data(1), "val": _data(2), "test": _data(3)})
    _write(folder / "model.py", {"model": _model()})
    level1 = ["./schedule.py", "./runtime.py", "./dataset.py", "./model.py"]
    _write(folder / "level1.py", {"a": _block(1, 5), "model": {"head": _block(2, 2)}}, level1)
    _write(folder / "level2.py", {"train": {"batch_size": 8}, "b": _block(3, 5)}, "./level1.py")
    last = folder / "level3.py"
    _write(last, {"model": {"backbone": {"depth": 101}}, "c": _block(4, 5)}, "./level2.py")
    return last


def write_flat(folder: Path, size: int) -> Path:
    """Write one file of ``size`` assignments."""
    path = folder / f"flat_{size}.py"
    path.write_text("".join(f"key_{index} = {index}\n" for index in range(size)))
    return path


def count_leaves(value: Any) -> int:
    """Count the values that are neither dicts nor lists."""
    if isinstance(value, Mapping):
        return sum(map(count_leaves, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(count_leaves, value))
    return 1


def _write(path: Path, values: dict[str, Any], base: str | list[str] | None = None) -> None:
    text = "" if base is None else f"_base_ = {base!r}\n"
    text += "".join(f"{key} = {_source(value, 1)}\n" for key, value in values.items())
    path.write_text(text)


def _source(value: Any, depth: int) -> str:
    pad, end = "    " * depth, "    " * (depth - 1)
    if isinstance(value, dict):
        inner = "".join(f"{pad}{k}={_source(v, depth + 1)},\n" for k, v in value.items())
        return f"dict(\n{inner}{end})"
    if isinstance(value, list):
        inner = "".join(f"{pad}{_source(item, depth + 1)},\n" for item in value)
        return f"[\n{inner}{end}]"
    return repr(value)


def _block(seed: int, size: int) -> dict[str, Any]:
    return {
        "type": f"Block{seed}",
        **{f"option_{index}": seed * 10 + index for index in range(size)},
        "scale": seed / 7,
        "enabled": seed % 2 == 0,
        "name": f"block {seed}'s name",
    }


def _list(size: int) -> list[Any]:
    return [_block(index, 2) for index in range(size)]


def _optimizer() -> dict[str, Any]:
    return {
        "type": "OptimWrapper",
        "optimizer": {"type": "SGD", "lr": 0.1, "momentum": 0.9, "weight_decay": 1e-4},
        "clip_grad": None,
        "paramwise_cfg": {"custom_keys": {"backbone": {"lr_mult": 0.1}, "head": {"lr_mult": 10}}},
    }


def _data(seed: int) -> dict[str, Any]:
    return {
        "batch_size": 4 * seed,
        "num_workers": seed,
        "dataset": {"type": "Folder", "root": f"data/{seed}", "pipeline": _list(13)},
        "sampler": {"type": "DefaultSampler", "shuffle": seed == 1},
        "sizes": [(1333, 800), (640, 480)],
    }


def _model() -> dict[str, Any]:
    stages = [{"blocks": _list(2), "stride": index, "widths": [64, 128, 256]} for index in range(4)]
    return {
        "type": "Detector",
        "backbone": {"type": "ResNet", "depth": 50, "stages": stages, "norm": _block(9, 4)},
        "neck": {"type": "FPN", "in_channels": [256, 512, 1024, 2048], "extra": _list(5)},
        "head": {"type": "Head", "losses": _list(4), "num_classes": 80},
    }
