"""Counts in messages and reports."""

from __future__ import annotations


def format_count(count: int, noun: str, ending: str = "s") -> str:
    """Return a count with its noun in the right number: "1 page", "1,200 pages"."""
    return f"{count:,} {noun}{'' if count == 1 else ending}"
