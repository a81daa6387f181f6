"""The former name of :mod:`tercet.lab.robustness`; it stays for one version."""

import sys

from tercet.lab import robustness
from tercet.lab.robustness.__main__ import main

if __name__ == "__main__":
    sys.exit(main())

sys.modules[__name__] = robustness
