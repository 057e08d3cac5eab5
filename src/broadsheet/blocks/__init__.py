"""Page to blocks, and the labels that methods give them."""

from broadsheet.blocks.blocks import Blocks
from broadsheet.blocks.labels import CONTENT_ROLES, Labels, Role, role_of_content
from broadsheet.blocks.paths import Paths
from broadsheet.blocks.segment import drop_invisible, fold_text, segment
from broadsheet.page import tags

__all__ = [
    "CONTENT_ROLES",
    "Blocks",
    "Labels",
    "Paths",
    "Role",
    "drop_invisible",
    "fold_text",
    "role_of_content",
    "segment",
    "tags",
]
