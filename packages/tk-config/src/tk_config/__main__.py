"""``python -m tk_config`` is the command ``tk-config``."""

import sys

from .command import main

sys.exit(main())
