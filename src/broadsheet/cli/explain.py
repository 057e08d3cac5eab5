"""`--explain`: what became of every block of a page, and where each field is from."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from broadsheet.article import Article, Block
from broadsheet.blocks import Role
from broadsheet.cli.complain import flatten
from broadsheet.fields import Image

if TYPE_CHECKING:
    from rich.text import Text

_FIELDS = (
    "title", "authors", "date", "date_modified", "language", "site_name", "section", "description", "keywords", "image",
    "url", "canonical_url", "amp_url",
)  # fmt: skip
_STYLES = {
    Role.TITLE: "bold cyan",
    Role.SUBTITLE: "cyan",
    Role.BYLINE: "magenta",
    Role.DATE: "magenta",
    Role.HEADING: "bold green",
    Role.CAPTION: "yellow",
    Role.COMMENT: "blue",
    Role.BOILERPLATE: "bright_black",
}
_CONTENT_STYLE = "green"
_NAMED = {"image": "images"}  # the main picture has the source of all
_NAME_WIDTH = max(map(len, _FIELDS))
_ROLE_WIDTH = max(map(len, Role))


def explain_article(article: Article, *, name: str, to_stdout: bool) -> str:
    """Explain an article, a line for each field and block: in colour and cut to its width on a terminal, else whole."""
    if not (to_stdout and sys.stdout.isatty()):
        return "\n".join(line.plain for line in _write_lines(article, name, None))
    from rich.console import Console

    width = shutil.get_terminal_size().columns
    system: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    console = Console(file=io.StringIO(), force_terminal=True, color_system=system, width=width, highlight=False)
    with console.capture() as shown:
        for line in _write_lines(article, name, width):
            console.print(line, soft_wrap=True)
    return shown.get().rstrip("\n")


def _write_lines(article: Article, name: str, width: int | None) -> Iterator[Text]:
    from rich.text import Text

    facts = f"  {article.status}, confidence {article.confidence:.2f}, method {article.method}"
    yield _cut(Text.assemble((flatten(name), "bold"), facts), width)
    yield Text()
    for field in _FIELDS:
        yield _cut(_write_field(article, field), width)
    yield Text()
    for block in article.blocks:
        yield _cut(_write_block(block), width)


def _write_field(article: Article, field: str) -> Text:
    from rich.text import Text

    value = _write_value(getattr(article, field))
    name = _NAMED.get(field, field)
    source = ""
    if name in article.sources and value:
        source = f"  [{article.sources[name]} {article.confidences.get(name, 0.0):.2f}]"
    return Text.assemble((f"{field:<{_NAME_WIDTH}}", "bold"), f"  {value or '-'}", (source, "bright_black"))


def _write_value(value: object) -> str:
    if isinstance(value, tuple):
        return flatten(", ".join(map(str, value)))
    if isinstance(value, Image):
        parts = (value.url, value.caption, value.credit and f"({value.credit})")
        return flatten(" ".join(filter(None, parts)))
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return flatten(str(value)) if value else ""


def _write_block(block: Block) -> Text:
    from rich.text import Text

    style = _STYLES.get(block.role, _CONTENT_STYLE)
    return Text(f"{block.score:4.2f}  {block.role:<{_ROLE_WIDTH}}  {flatten(block.text)}", style=style)


def _cut(line: Text, width: int | None) -> Text:
    if width is not None:
        line.truncate(width, overflow="ellipsis")
    return line
