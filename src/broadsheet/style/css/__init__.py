"""Style sheets to computed styles, without a browser."""
