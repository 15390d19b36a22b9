"""``tk-runner ckpt``: list, show, verify, convert and average checkpoints."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .printing import say, say_json

SUFFIXES = (".pth", ".pt", ".ckpt")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A subcommand for each thing to do."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add(name: str, text: str, action: Callable[[argparse.Namespace], int]) -> Any:
        subparser = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        subparser.set_defaults(act=action)
        return subparser

    add("ls", "list the checkpoints of a folder", _list).add_argument("folder")
    show = add("show", "show what a checkpoint holds", _show)
    show.add_argument("file")
    show.add_argument("--weights", action="store_true", help="list every weight")
    show.add_argument("--json", action="store_true", help="print JSON")
    verify = add("verify", "compare the checksums of checkpoints", _verify)
    verify.add_argument("paths", nargs="+", help="files, or folders of checkpoints")
    convert = add("convert", "write the weights as .pth or .safetensors", _convert)
    convert.add_argument("source")
    convert.add_argument("target", help="its suffix says which form is written")
    average = add("average", "write the mean of the weights of several checkpoints", _average)
    average.add_argument("target", help="the file to write: .pth or .safetensors")
    average.add_argument("sources", nargs="+", help="the checkpoints")


def run(options: argparse.Namespace) -> int:
    """Do what was asked for; the exit code comes back."""
    from .failures import explain  # loads torch, 1.2 s

    try:
        return int(options.act(options))
    except Exception as error:
        failure = explain(error)
        failure.show()
        return failure.code


def _list(options: argparse.Namespace) -> int:
    from ..checkpoint import find_latest_checkpoint
    from ..checkpoint.errors import CheckpointError
    from ..checkpoint.summary import read_summary

    files = list(_files_in(Path(options.folder)))
    newest = find_latest_checkpoint(options.folder)
    rows: list[tuple[str, ...]] = [("", "file", "epoch", "iter", "time", "MB", "holds")]
    for path in files:
        megabytes = f"{path.stat().st_size / 1e6:.1f}"
        mark = "*" if str(path) == newest else ""
        try:
            summary = read_summary(path)
        except (CheckpointError, OSError) as error:
            rows.append((mark, path.name, "", "", "", megabytes, f"unreadable: {error}"))
            continue
        holds = "state of a run" if summary.is_resumable else "weights"
        counts = (str(summary.epoch), str(summary.iter)) if summary.is_resumable else ("", "")
        rows.append((mark, path.name, *counts, summary.time, megabytes, holds))
    say(_table(rows) if files else f"there are no checkpoints in {options.folder}")
    if newest is not None:
        say("* is the newest whole one, from which resume=True goes on")
    return 0


def _show(options: argparse.Namespace) -> int:
    content = _described(options.file, lists_weights=options.weights)
    if options.json:
        say_json(content)
        return 0
    weights = content.pop("weights", {})
    width = max(map(len, content))
    say("\n".join(f"{name:<{width}}  {value}" for name, value in content.items()))
    if weights:
        say(_table([(name, shown) for name, shown in weights.items()]))
    return 0


def _described(file: str, *, lists_weights: bool) -> dict[str, Any]:
    import torch

    from ..checkpoint import read_checkpoint, weights_of

    content = read_checkpoint(file)
    weights = weights_of(content)
    tensors = {name: one for name, one in weights.items() if isinstance(one, torch.Tensor)}
    meta = content.get("meta")
    described = {
        "file": file,
        "format version": content.get("format_version", "none"),
        **{
            key: value
            for key, value in (meta.items() if isinstance(meta, dict) else ())
            if key not in ("cfg", "dataset_meta")
        },
        "entries": ", ".join(map(str, content)) if "state_dict" in content else "weights alone",
        "weights in number": len(tensors),
        "parameters and buffers": f"{sum(one.numel() for one in tensors.values()):,}",
        "dtypes": ", ".join(sorted({str(one.dtype)[6:] for one in tensors.values()})),
    }
    if lists_weights:
        described["weights"] = {
            name: f"{str(one.dtype)[6:]} {tuple(one.shape)}" for name, one in tensors.items()
        }
    return described


def _verify(options: argparse.Namespace) -> int:
    from ..checkpoint import CheckpointError, verify_checkpoint

    num_bad = 0
    for path in map(Path, options.paths):
        for file in _files_in(path) if path.is_dir() else [path]:
            try:
                verify_checkpoint(file)
                say(f"{file}: whole")
            except (CheckpointError, OSError) as error:
                num_bad += 1
                say(f"{file}: BAD: {error}")
    return 1 if num_bad else 0


def _convert(options: argparse.Namespace) -> int:
    from ..checkpoint import convert_checkpoint

    convert_checkpoint(options.source, options.target)
    say(f"wrote {options.target}")
    return 0


def _average(options: argparse.Namespace) -> int:
    from ..checkpoint import average_weights
    from ..checkpoint.conversion import write_weights

    weights = average_weights(options.sources)
    write_weights(weights, options.target, meta={"averaged": list(options.sources)})
    say(f"wrote {options.target}: the mean of {len(options.sources)} checkpoints")
    return 0


def _files_in(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {str(folder)!r}")
    yield from sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES)


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
