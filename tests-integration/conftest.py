"""Lets tests share the modules that stand beside them: `tree`, `import_graph`, the toys."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
