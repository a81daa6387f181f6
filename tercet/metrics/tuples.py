"""The former name of :mod:`tercet.lab.tuples`; it stays for one version."""

import sys

from tercet.lab import tuples

sys.modules[__name__] = tuples
