"""The roles of blocks: one table for methods, the command line, projects, the desk and the docs."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """The role of a block on the page."""

    __hash__ = str.__hash__  # faster than Enum.__hash__, which is Python code; roles are looked up for every block

    TITLE = "title"
    SUBTITLE = "subtitle"
    BYLINE = "byline"
    DATE = "date"
    BODY = "body"
    HEADING = "heading"
    LIST = "list"
    QUOTE = "quote"
    TABLE = "table"
    CAPTION = "caption"
    COMMENT = "comment"
    BOILERPLATE = "boilerplate"


class LabelRole(StrEnum):
    """The role that people give to a block (docs/howto/project.md): all text of the article is body."""

    BODY = "body"
    TITLE = "title"
    BYLINE = "byline"
    DATE = "date"
    BYLINE_DATE = "byline+date"
    CAPTION = "caption"
    COMMENT = "comment"
    BOILERPLATE = "boilerplate"
    UNSURE = "unsure"  # neither learned nor scored


class RoleInfo(NamedTuple):
    """What people see of a role."""

    name: str
    meaning: str
    colour: str  # cyan, magenta, green, yellow, blue, grey or orange: every view has its own shades of them
    is_content: bool = False  # whether its blocks make up the text of the article
    keys: str = ""  # a digit and a letter that set the role in the desk; "" if only methods give it


ROLES = (
    RoleInfo("title", "the headline", "cyan", keys="2t"),
    RoleInfo("subtitle", "the lines between headline and text", "green", is_content=True),
    RoleInfo("byline", "the names of the authors", "magenta", keys="3y"),
    RoleInfo("date", "the line with the date", "orange", keys="4d"),
    RoleInfo("body", "running text; for people, all text of the article", "green", is_content=True, keys="1b"),
    RoleInfo("heading", "a heading inside the article", "green", is_content=True),
    RoleInfo("list", "an item of a list", "green", is_content=True),
    RoleInfo("quote", "a quotation", "green", is_content=True),
    RoleInfo("table", "a cell of a table", "green", is_content=True),
    RoleInfo("caption", "captions and credits of pictures", "yellow", keys="6c"),
    RoleInfo("comment", "readers' comments", "blue", keys="7o"),
    RoleInfo("boilerplate", "everything else", "grey", keys="8x"),
    RoleInfo("byline+date", "byline and date in one block", "magenta", keys="5m"),
    RoleInfo("unsure", "text or not, a matter of taste: not learned", "grey", keys="9q"),
)
ROLE_INFOS = {info.name: info for info in ROLES}
CONTENT_ROLES = frozenset(role for role in Role if ROLE_INFOS[role].is_content)


def read_method_role(role: Role) -> LabelRole:
    """Return the label for a role that a method gave: every role of the article's text is body."""
    return LabelRole.BODY if role in CONTENT_ROLES else LabelRole(role.value)
