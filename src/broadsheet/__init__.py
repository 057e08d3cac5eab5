"""Broadsheet turns a news web page into the article: title, authors, dates, clean text with its structure."""

from broadsheet.api import extract
from broadsheet.article import Article, Block, Status
from broadsheet.blocks import Role
from broadsheet.errors import BroadsheetError
from broadsheet.fields import Image
from broadsheet.many import extract_many
from broadsheet.methods import methods
from broadsheet.page import Limits
from broadsheet.site import Site

__version__ = "0.1.0"

__all__ = [
    "Article",
    "Block",
    "BroadsheetError",
    "Image",
    "Limits",
    "Role",
    "Site",
    "Status",
    "extract",
    "extract_many",
    "methods",
]
