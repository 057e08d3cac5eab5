"""`--explain`: every field with its source and confidence, and every block with its role and score."""

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
from broadsheet.fields import FIELDS, Image

if TYPE_CHECKING:
    from rich.text import Text

_ROLE_STYLES = {
    Role.TITLE: "bold cyan",
    Role.SUBTITLE: "cyan",
    Role.BYLINE: "magenta",
    Role.DATE: "magenta",
    Role.HEADING: "bold green",
    Role.CAPTION: "yellow",
    Role.COMMENT: "blue",
    Role.BOILERPLATE: "bright_black",
}
_BODY_STYLE = "green"  # of all other roles
_FIELD_NAMES = sorted((field.name for field in FIELDS), key=lambda name: name.endswith("url"))  # addresses last
_NAME_WIDTH = max(map(len, _FIELD_NAMES))
_ROLE_WIDTH = max(map(len, Role))


def explain_article(article: Article, *, name: str, to_stdout: bool) -> str:
    """Explain an article, one line per field and block. On a terminal, lines are coloured and cut to its width."""
    if not (to_stdout and sys.stdout.isatty()):
        return "\n".join(line.plain for line in _write_lines(article, name, None))
    from rich.console import Console

    width = shutil.get_terminal_size().columns
    color_system: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    console = Console(file=io.StringIO(), force_terminal=True, color_system=color_system, width=width, highlight=False)
    with console.capture() as capture:
        for line in _write_lines(article, name, width):
            console.print(line, soft_wrap=True)
    return capture.get().rstrip("\n")


def _write_lines(article: Article, name: str, width: int | None) -> Iterator[Text]:
    from rich.text import Text

    summary = f"  {article.status}, confidence {article.confidence:.2f}, method {article.method}"
    yield _cut(Text.assemble((flatten(name), "bold"), summary), width)
    yield Text()
    for field_name in _FIELD_NAMES:
        yield _cut(_write_field(article, field_name), width)
    yield Text()
    for block in article.blocks:
        yield _cut(_write_block(block), width)


def _write_field(article: Article, name: str) -> Text:
    from rich.text import Text

    value = _write_value(getattr(article, name))
    source = ""
    if name in article.sources and value:
        source = f"  [{article.sources[name]} {article.confidences.get(name, 0.0):.2f}]"
    return Text.assemble((f"{name:<{_NAME_WIDTH}}", "bold"), f"  {value or '-'}", (source, "bright_black"))


def _write_value(value: object) -> str:
    match value:
        case (Image() as image, *others):  # only the main image, because the line would be long
            parts = (image.url, image.caption, image.credit and f"({image.credit})")
            more = f", {len(others)} more" if others else ""
            return flatten(" ".join(filter(None, parts))) + more
        case tuple():
            return flatten(", ".join(map(str, value)))
        case datetime():
            return value.isoformat(sep=" ")
        case _:
            return flatten(str(value)) if value else ""


def _write_block(block: Block) -> Text:
    from rich.text import Text

    style = _ROLE_STYLES.get(block.role, _BODY_STYLE)
    return Text(f"{block.score:4.2f}  {block.role:<{_ROLE_WIDTH}}  {flatten(block.text)}", style=style)


def _cut(line: Text, width: int | None) -> Text:
    if width is not None:
        line.truncate(width, overflow="ellipsis")
    return line
