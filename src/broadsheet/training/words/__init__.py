"""Training of `words`."""
