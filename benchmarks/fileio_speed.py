"""tk-fileio beside mmengine.fileio: import, reading, writing, and the memory of big files.

Ours forces each written file to disk, which mmengine does not; the lines marked
"no fsync" compare the work of the processor. Run with an interpreter that has mmengine:

    python benchmarks/fileio_speed.py
"""

from __future__ import annotations

import argparse
import tempfile
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import mmengine.fileio as theirs
from paired import Timing, paired, paired_programs, show

import tk_fileio as ours

IMPORT = (
    "import time; start = time.process_time(); import {module}; print(time.process_time() - start)"
)
BIG_BYTES = 256 << 20


def write(value: Any, path: Path) -> None:
    """Write JSON as ``dump`` does, without forcing it to disk."""
    from tk_fileio import JsonHandler

    with ours.atomic_write(path, "w", fsync=False) as file:
        JsonHandler().dump_to_fileobj(value, file)


def load_pickle(library: Any, path: Path) -> Any:
    """Read a pickle, which ours has to be asked for."""
    return library.load(path, trusted=True) if library is ours else library.load(path)


def peak_mb(action: Callable[[], object]) -> float:
    """Memory that Python allocated beyond what was there, at its highest."""
    tracemalloc.start()
    action()
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak_bytes / 2**20


def speed(folder: Path, repeats: int) -> None:
    """Print the timings."""
    programs = {
        "tk": IMPORT.format(module="tk_fileio"),
        "mmengine": IMPORT.format(module="mmengine.fileio"),
    }
    show("import", paired_programs(programs, repeats), "mmengine", {"tk": 0.35})
    rows = [{"id": i, "name": f"image_{i}.jpg", "box": [i, i + 1.5, 3, 4]} for i in range(2_000)]
    small = {f"key_{i}": {"lr": 0.1, "steps": [8, 11]} for i in range(200)}
    ours.dump(rows, folder / "rows.json")
    ours.dump(rows, folder / "rows.pkl")
    ours.dump(small, folder / "small.yaml")
    ours.put(b"x" * 1000, folder / "small.bin")
    cases: dict[str, tuple[Callable[[Any], object], int]] = {
        "get 1 kB": (lambda lib: lib.get(folder / "small.bin"), 200),
        "load json, 2,000 rows": (lambda lib: lib.load(folder / "rows.json"), 3),
        "load pickle, 2,000 rows": (lambda lib: load_pickle(lib, folder / "rows.pkl"), 3),
        "load yaml, 200 keys": (lambda lib: lib.load(folder / "small.yaml"), 1),
        "dump json, 2,000 rows": (lambda lib: lib.dump(rows, folder / "out.json"), 3),
        "dump yaml, 200 keys": (lambda lib: lib.dump(small, folder / "out.yaml"), 1),
        "exists": (lambda lib: lib.exists(folder / "small.bin"), 500),
    }
    for name, (call, calls) in cases.items():
        timings: dict[str, Timing] = paired(
            {"tk": partial(call, ours), "mmengine": partial(call, theirs)}, repeats, calls
        )
        show(name, timings, "mmengine", {"tk": 1.0} if name == "get 1 kB" else {})
    without_fsync = {
        "tk": lambda: write(rows, folder / "out.json"),
        "mmengine": lambda: theirs.dump(rows, folder / "out.json"),
    }
    show("dump json, no fsync", paired(without_fsync, repeats, 3), "mmengine", {})


def memory(folder: Path) -> None:
    """Print the memory that big files take beyond the value itself."""
    value = [bytes(1 << 20) for _ in range(BIG_BYTES >> 20)]
    path = folder / "big.pkl"
    for name, library in (("tk", ours), ("mmengine", theirs)):
        written = peak_mb(lambda: library.dump(value, path))  # noqa: B023  # called at once
        read = peak_mb(lambda: library.load(path))  # noqa: B023  # called at once
        copied = peak_mb(lambda: library.copyfile(path, folder / "copy"))  # noqa: B023
        print(
            f"{name:>10}: {BIG_BYTES >> 20} MB pickle: {written:.0f} MB to write, "
            f"{read:.0f} MB to read (with the value), {copied:.0f} MB to copy"
        )


def main() -> None:
    """Print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        speed(Path(name), arguments.repeats)
        memory(Path(name))


if __name__ == "__main__":
    main()
