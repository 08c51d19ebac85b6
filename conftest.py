"""Makes every test run as the application does: see the first lines of :mod:`companion`, which come before NumPy."""

import companion  # noqa: F401
