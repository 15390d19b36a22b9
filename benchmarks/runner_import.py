"""What importing the runner costs beside importing torch, which it cannot do without.

    python benchmarks/runner_import.py [--repeats 7]

Fresh interpreters, CPU time of the import alone. Goals: at most 1.25 of ``import
torch``; ``import tk_runner`` by itself, which ``tk-runner --help`` needs, imports no torch.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.util import find_spec

from paired import paired_programs, show

TIMED = """
import time
start = time.process_time()
{imports}
print(time.process_time() - start)
"""
SUBJECTS = {
    "torch": "import torch",
    "tk_runner alone": "import tk_runner",
    "tk_runner, Runner": "import tk_runner\nfrom tk_runner import Runner",
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--repeats", type=int, default=7)
    subjects = dict(SUBJECTS)
    if find_spec("mmengine"):
        subjects["mmengine, Runner"] = "from mmengine.runner import Runner"
    programs = {name: TIMED.format(imports=text) for name, text in subjects.items()}
    timings = paired_programs(programs, options.parse_args().repeats)
    show("import", timings, "torch", {"tk_runner, Runner": 1.25})
    look = "import sys, tk_runner; print('torch' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", look], capture_output=True, check=True)
    print(f"  import tk_runner imports torch: {answer.stdout.decode().strip()} (goal: False)")


if __name__ == "__main__":
    main()
