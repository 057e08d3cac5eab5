"""Training of `semtext`."""
