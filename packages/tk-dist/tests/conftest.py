"""Makes the helpers of these tests importable, wherever the tests lie."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
