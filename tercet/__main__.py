"""The command `tercet`, as `python -m tercet`."""

import sys

from tercet.commands import main

sys.exit(main())
