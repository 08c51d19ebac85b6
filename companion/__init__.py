"""The application: rules, eyes, arbiter, screens and the simulated table."""

import os

# Before NumPy is loaded: the threads of its OpenBLAS spin while they wait, and our matrices are small. On two cores a
# simulated game took 49 s and 77 s of processor time with them, 37 and 42 with one. The readings are the same.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
