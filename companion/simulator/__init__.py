"""A table drawn in software: for the demo, for tests and for pictures whose truth is known."""
