"""Labels and fields to Article."""

from broadsheet.article.article import Article, Block, Status
from broadsheet.article.assemble import assemble
from broadsheet.article.comment import Comment
from broadsheet.article.parts import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table, text_of_runs
from broadsheet.article.provenance import Provenance

__all__ = [
    "Article",
    "Block",
    "Cell",
    "Code",
    "Comment",
    "Heading",
    "Listing",
    "Paragraph",
    "Part",
    "Provenance",
    "Quote",
    "Run",
    "Status",
    "Table",
    "assemble",
    "text_of_runs",
]
