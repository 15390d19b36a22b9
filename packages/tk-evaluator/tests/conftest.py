"""What the tests of tk-evaluator share."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))  # evaluator_toys, for every test file

torch.set_num_threads(1)  # forked ranks must not meet a pool of threads
