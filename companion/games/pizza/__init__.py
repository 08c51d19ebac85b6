"""The pizza game ("Pizza Theory"): two or three players, a round board that turns, and cutters."""
