"""A dataset of a million small records: how long it takes to start, what a worker adds.

    python benchmarks/data_records.py [number of records]

Both figures need a fresh process. MMEngine is measured beside, where it is installed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from paired import paired_programs, show

START = """
import logging, sys, time
logging.disable(logging.WARNING)
from {module} import BaseDataset
start = time.process_time()
dataset = BaseDataset({path!r}, data_prefix=dict(img_path="images"))
assert len(dataset) == {number}
print(time.process_time() - start)
"""

# The private memory of a worker process that has read every record, less that of
# one which has read the records of a small dataset.
WORKER = """
import logging, multiprocessing, sys
logging.disable(logging.WARNING)
import torch
from {module} import BaseDataset
dataset = BaseDataset({path!r}, data_prefix=dict(img_path="images"))
small = BaseDataset({small!r}, data_prefix=dict(img_path="images"))
dataset[0], small[0]

def private_bytes(dataset, answer):
    for index in range(len(dataset)):
        dataset[index]
    with open("/proc/self/smaps_rollup") as lines:
        answer.put(sum(int(l.split()[1]) * 1024 for l in lines if l.startswith("Private")))

if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    taken = []
    for each in (small, dataset):
        answer = context.SimpleQueue()
        worker = context.Process(target=private_bytes, args=(each, answer))
        worker.start()
        taken.append(answer.get())
        worker.join()
    print((taken[1] - taken[0]) / 1e6)
"""

MODULES = {"tk_runner": "tk_runner.data", "mmengine": "mmengine.dataset"}


def write_annotations(path: Path, number: int) -> None:
    records = [{"img_path": f"{index:08}.jpg", "label": index % 1000} for index in range(number)]
    path.write_text(json.dumps({"metainfo": {}, "data_list": records}))


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    modules = {name: module for name, module in MODULES.items() if find_spec(name)}
    with tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder) / "large.json", Path(folder) / "small.json"
        write_annotations(large, number)
        write_annotations(small, 10)
        facts = {"path": str(large), "small": str(small), "number": number}
        start = {name: START.format(module=module, **facts) for name, module in modules.items()}
        worker = {name: WORKER.format(module=module, **facts) for name, module in modules.items()}
        base = "mmengine" if "mmengine" in modules else "tk_runner"
        show(f"start with {number:,} records", paired_programs(start, 3), base, {})
        print("\nprivate memory that a worker adds by reading all of them")
        for name, timing in paired_programs(worker, 3).items():
            print(f"  {name:9}  {timing.median:.1f} MB [{timing.least:.1f}-{timing.most:.1f}]")


if __name__ == "__main__":
    main()
