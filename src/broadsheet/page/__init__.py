"""Bytes to Page: decode, parse once, walk once into a flat node table."""

from broadsheet.page import tags
from broadsheet.page.addresses import resolve_address
from broadsheet.page.limits import DEFAULT_LIMITS, SHELL_CHARS, Deadline, Limits
from broadsheet.page.metadata import Metadata, read_metadata
from broadsheet.page.nodes import TEXT, Nodes, TextRun
from broadsheet.page.page import Page, read_page, read_text
from broadsheet.page.rendering import Rendering

__all__ = [
    "DEFAULT_LIMITS",
    "SHELL_CHARS",
    "TEXT",
    "Deadline",
    "Limits",
    "Metadata",
    "Nodes",
    "Page",
    "Rendering",
    "TextRun",
    "read_metadata",
    "read_page",
    "read_text",
    "resolve_address",
    "tags",
]
