"""Training of `title`."""
