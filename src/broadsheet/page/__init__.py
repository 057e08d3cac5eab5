"""Bytes to Page: decode, parse once, walk once into a flat node table."""

from broadsheet.page.limits import DEFAULT_LIMITS, Deadline, Limits
from broadsheet.page.nodes import TEXT, Nodes
from broadsheet.page.page import Page, read_page

__all__ = ["DEFAULT_LIMITS", "TEXT", "Deadline", "Limits", "Nodes", "Page", "read_page"]
