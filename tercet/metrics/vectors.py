"""The former name of :mod:`tercet.lab.vectors`; it stays for one version."""

import sys

from tercet.lab import vectors

sys.modules[__name__] = vectors
