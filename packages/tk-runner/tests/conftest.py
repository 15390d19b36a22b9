"""Makes the tests' shared pieces (`toy_run`) importable wherever the tests lie."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
