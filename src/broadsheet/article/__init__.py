"""Labels and fields to Article."""

from broadsheet.article.article import Article, Block, Comment, Doubt, Provenance, Status
from broadsheet.article.assemble import Extraction, assemble, read_early_fields
from broadsheet.article.parts import (
    Cell,
    Code,
    Definition,
    Definitions,
    Figure,
    Heading,
    Listing,
    Paragraph,
    Part,
    Quote,
    Run,
    Table,
    drop_figures,
    text_of_runs,
)

__all__ = [
    "Article",
    "Block",
    "Cell",
    "Code",
    "Comment",
    "Definition",
    "Definitions",
    "Doubt",
    "Extraction",
    "Figure",
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
    "drop_figures",
    "read_early_fields",
    "text_of_runs",
]
