"""Training of `fusion`."""
