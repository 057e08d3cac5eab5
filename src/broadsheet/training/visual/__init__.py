"""Training of `visual`."""
