"""`--explain`: every field with its source and confidence, and every block with its role and score."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from broadsheet.article import Article, Block
from broadsheet.blocks import Role
from broadsheet.blocks.roles import ROLE_INFOS
from broadsheet.cli.messages import flatten
from broadsheet.fields import FIELDS, Image

if TYPE_CHECKING:
    from rich.text import Text

_BOLD_ROLES = (Role.TITLE, Role.HEADING)
FIELD_NAMES = sorted((field.name for field in FIELDS), key=lambda name: name.endswith("url"))  # addresses last
_NAME_WIDTH = max(map(len, FIELD_NAMES))
_ROLE_WIDTH = max(map(len, Role))
_MIN_FOLDED_BLOCKS = 3  # fewer blocks of boilerplate in a row are shown
_MAX_FOLDED_SCORE = 0.3  # a block with a higher score is shown: it may be text


def explain_article(article: Article, *, name: str, to_stdout: bool) -> str:
    """Explain an article, one line per field and block.

    On a terminal, lines are coloured and cut to its width, boilerplate is folded, and a legend explains the colours.
    """
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
    for field_name in FIELD_NAMES:
        yield _cut(_write_field(article, field_name), width)
    yield Text()
    if width is None:
        yield from map(_write_block, article.blocks)
        return
    yield from (_cut(line, width) for line in _fold_blocks(article.blocks))
    yield Text()
    yield _cut(Text("score: probability that the block is article text; roles:"), width)
    yield _cut(_write_legend(), width)


def _fold_blocks(blocks: Sequence[Block]) -> Iterator[Text]:
    """Write blocks; several blocks of boilerplate in a row become one line."""
    from rich.text import Text

    for is_folded, group in groupby(blocks, key=_is_plain_boilerplate):
        lines = list(group)
        if not is_folded or len(lines) < _MIN_FOLDED_BLOCKS:
            yield from map(_write_block, lines)
            continue
        words = " / ".join(flatten(block.text) for block in lines)
        yield Text(f"   …  {len(lines):>{_ROLE_WIDTH - 7}} blocks  {words}", style=_find_style(Role.BOILERPLATE))


def _find_style(role: Role) -> str:
    colour = ROLE_INFOS[role].colour.replace("grey", "bright_black")
    return f"bold {colour}" if role in _BOLD_ROLES else colour


def _is_plain_boilerplate(block: Block) -> bool:
    return block.role is Role.BOILERPLATE and block.score < _MAX_FOLDED_SCORE


def _write_legend() -> Text:
    from rich.text import Text

    roles = [(role.value, _find_style(role)) for role in Role]
    words = [piece for role in roles for piece in (role, " ")]
    return Text.assemble(*words)


def _write_field(article: Article, name: str) -> Text:
    from rich.text import Text

    value = write_value(getattr(article, name))
    source = ""
    if name in article.sources and value:
        source = f"  [{article.sources[name]} {article.confidences.get(name, 0.0):.2f}]"
    return Text.assemble((f"{name:<{_NAME_WIDTH}}", "bold"), f"  {value or '-'}", (source, "bright_black"))


def write_value(value: object) -> str:
    """Write the value of a field on one line; "" if there is none."""
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

    style = _find_style(block.role)
    return Text(f"{block.score:4.2f}  {block.role:<{_ROLE_WIDTH}}  {flatten(block.text)}", style=style)


def _cut(line: Text, width: int | None) -> Text:
    if width is not None:
        line.truncate(width, overflow="ellipsis")
    return line
