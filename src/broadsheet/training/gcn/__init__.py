"""Training of `gcn`."""
