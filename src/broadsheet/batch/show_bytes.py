"""Numbers of bytes, for people."""

from __future__ import annotations


def show_bytes(value: float) -> str:
    """Return a number of bytes with a unit, such as "1.5 MB"."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if value >= size:
            return f"{value / size:,.1f} {unit}"
    return f"{value / 1e3:,.1f} KB"
