"""The former name of :mod:`tercet.lab.embedding`; it stays for one version."""

import sys

from tercet.lab import embedding

sys.modules[__name__] = embedding
