"""Saving and loading 400 MB, in CPU time and memory, beside ``torch.save`` and MMEngine.

Run it where MMEngine is installed, with the ``src`` folders of the packages on
PYTHONPATH; a number behind it says how often each figure is taken. The state is
that of a model of 67 tensors of 2 MB and of Adam, which is twice as much again.
Every subject reads the file that it wrote itself, in a process of its own, and
loads the weights into a model; memory of a mapped file counts as soon as it is
read. The files lie where TMPDIR says.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from paired import paired_programs, show

CONTENT = """
import torch, time
def content():
    weights = {f"layers.{i}.weight": torch.randn(1024, 512) for i in range(67)}
    moments = {i: {"exp_avg": torch.randn(1024, 512), "exp_avg_sq": torch.rand(1024, 512)}
               for i in range(67)}
    return {"meta": {"epoch": 1, "iter": 100}, "state_dict": weights,
            "optimizer": {"state": moments, "param_groups": []}}
def model():
    net = torch.nn.Module()
    net.layers = torch.nn.ModuleList(torch.nn.Linear(512, 1024, bias=False) for _ in range(67))
    return net
def status(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key)) / 1024
def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
"""

SAVERS = {
    "torch.save": "from torch import save as write",
    "tk_runner": "from tk_runner.checkpoint import save_checkpoint as write",
    "mmengine": "from mmengine.runner import save_checkpoint as write",
}

LOADERS = {
    "mmengine": "from mmengine.runner import load_checkpoint as read",
    "tk_runner": "from tk_runner.checkpoint import load_checkpoint as read",
}

SAVE = """
{imports}
write({{"meta": {{}}}}, {path!r})  # what is imported on use
state = content()
forget_peak()
before = status("VmRSS")
start = time.process_time()
write(state, {path!r})
print({result})
"""

LOAD = """
{imports}
net = model()
small = {path!r} + ".small"
torch.save({{"state_dict": {{}}}}, small)
import logging; logging.disable(logging.CRITICAL)
read(net, small)  # what is imported on use
forget_peak()
before = status("VmRSS")
start = time.process_time()
found = read(net, {path!r}, map_location="cpu")
print({result})
"""

VERIFY = """
from tk_runner.checkpoint import verify_checkpoint
start = time.process_time()
verify_checkpoint({path!r})
print(time.process_time() - start)
"""

CPU = "time.process_time() - start"
PEAK = "status('VmHWM') - before"


def main(repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: str(Path(folder, f"{name}.pth")) for name in SAVERS}

        def programs(shape: str, imports: dict[str, str], result: str) -> dict[str, str]:
            return {
                name: CONTENT + shape.format(imports=line, path=paths[name], result=result)
                for name, line in imports.items()
            }

        saving = paired_programs(programs(SAVE, SAVERS, CPU), repeats=repeats)
        show("saving 400 MB, CPU", saving, to="torch.save", goals={"tk_runner": 1.05})
        table("saving 400 MB, peak above the state, MB", programs(SAVE, SAVERS, PEAK))
        loading = paired_programs(programs(LOAD, LOADERS, CPU), repeats=repeats)
        show("loading 400 MB into a model, CPU", loading, to="mmengine", goals={"tk_runner": 0.30})
        table("loading 400 MB, peak of resident memory above the model, MB",
              programs(LOAD, LOADERS, PEAK))  # fmt: skip
        verify = CONTENT + VERIFY.format(path=paths["tk_runner"])
        checked = paired_programs({"verify_checkpoint": verify}, repeats=repeats)
        show("verifying 400 MB, CPU", checked, to="verify_checkpoint", goals={})


def table(title: str, programs: dict[str, str], repeats: int = 3) -> None:
    """Print what each program prints, the median of some runs."""
    print(f"\n{title}")
    for name, program in programs.items():
        found = sorted(
            float(
                subprocess.run(
                    [sys.executable, "-c", program], check=True, capture_output=True, text=True
                ).stdout.split()[-1]
            )
            for _ in range(repeats)
        )
        print(f"  {name:12} {found[repeats // 2]:8.1f}  [{found[0]:.1f}-{found[-1]:.1f}]")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
