"""The packages as data: what every test over the whole tree reads them from."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # so that tests share `tree` and `import_graph`
