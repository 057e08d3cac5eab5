"""LabelRole: the roles that people give to blocks, and the role of a method's labels among them."""

from __future__ import annotations

from enum import StrEnum

from broadsheet.blocks import CONTENT_ROLES, Role


class LabelRole(StrEnum):
    """The role of a block in the labelling convention (docs/howto/labels.md)."""

    BODY = "body"
    TITLE = "title"
    BYLINE = "byline"
    DATE = "date"
    BYLINE_DATE = "byline+date"  # one block with both
    CAPTION = "caption"
    COMMENT = "comment"
    BOILERPLATE = "boilerplate"
    UNSURE = "unsure"  # may be part of the text or not: neither learned nor scored


def read_method_role(role: Role) -> LabelRole:
    """Return the label for a role that a method gave: every role of the article's text is body."""
    return LabelRole.BODY if role in CONTENT_ROLES else LabelRole(role.value)
