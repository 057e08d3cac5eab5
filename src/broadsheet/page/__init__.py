"""HTML to Page: decode the bytes, parse once, and walk once to fill the node table."""

from broadsheet.page import tags
from broadsheet.page.addresses import host_of, resolve_address, strip_www
from broadsheet.page.limits import DEFAULT_LIMITS, MAX_SHELL_CHARS, Deadline, Limits
from broadsheet.page.metadata import Metadata, read_metadata
from broadsheet.page.nodes import TEXT, Nodes, TextRun
from broadsheet.page.page import Page, Rendering, read_page, read_text

__all__ = [
    "DEFAULT_LIMITS",
    "MAX_SHELL_CHARS",
    "TEXT",
    "Deadline",
    "Limits",
    "Metadata",
    "Nodes",
    "Page",
    "Rendering",
    "TextRun",
    "host_of",
    "read_metadata",
    "read_page",
    "read_text",
    "resolve_address",
    "strip_www",
    "tags",
]
