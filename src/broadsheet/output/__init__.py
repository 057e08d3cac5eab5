"""Article to text, Markdown, HTML, JSON, schema.org and TEI: the same words in every one."""

from broadsheet.output.as_html import render_html
from broadsheet.output.as_json import to_dict, to_json
from broadsheet.output.as_markdown import render_markdown
from broadsheet.output.as_schema import to_schema_org
from broadsheet.output.as_tei import to_tei
from broadsheet.output.as_text import render_text
from broadsheet.output.formats import FORMATS

__all__ = [
    "FORMATS",
    "render_html",
    "render_markdown",
    "render_text",
    "to_dict",
    "to_json",
    "to_schema_org",
    "to_tei",
]
