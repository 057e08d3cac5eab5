"""Page to blocks, and the labels that methods give to blocks."""

from broadsheet.blocks.blocks import Blocks
from broadsheet.blocks.labels import Labels, Reason, Span, cut_text, find_spans, list_roles, role_of_content
from broadsheet.blocks.paths import PathTable
from broadsheet.blocks.roles import CONTENT_ROLES, Role
from broadsheet.blocks.segment import segment, select_blocks
from broadsheet.page import tags

__all__ = [
    "CONTENT_ROLES",
    "Blocks",
    "Labels",
    "PathTable",
    "Reason",
    "Role",
    "Span",
    "cut_text",
    "find_spans",
    "list_roles",
    "role_of_content",
    "segment",
    "select_blocks",
    "tags",
]
