"""The tests. This module is imported first, before any test process imports numpy."""

import os

# The processes of the tests share the cores already: further threads of one would wait for another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
