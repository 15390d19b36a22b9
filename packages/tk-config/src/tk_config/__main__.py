"""``python -m tk_config`` is the command ``tk-config``."""

import sys

from .commands.main import main

sys.exit(main())
