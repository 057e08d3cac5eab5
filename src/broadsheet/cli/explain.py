"""`--explain`: every field with its source and confidence, and every block with its role and score."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from broadsheet.article import Article, Block
from broadsheet.blocks import CONTENT_ROLES, Reason, Role
from broadsheet.blocks.roles import ROLE_INFOS
from broadsheet.cli.messages import flatten
from broadsheet.fields import FIELDS, Image
from broadsheet.output.safe import clean_text
from broadsheet.text import format_count

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
    colour = ROLE_INFOS[role].colour.replace("grey", "bright_black").replace("orange", "dark_orange")
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


# `--explain` as an HTML page: the fields, and the blocks of the page coloured by role, with their scores


_BACKGROUNDS = {  # in light and in dark mode
    "cyan": ("#cfe8ef", "#12404d"),
    "magenta": ("#ecdcf2", "#3d2547"),
    "green": ("#d9efd6", "#1d4020"),
    "yellow": ("#f6ecc9", "#453a12"),
    "blue": ("#dbe2f6", "#212f57"),
    "grey": ("#f1f1ef", "#242424"),
    "orange": ("#f7e0cd", "#4a2c12"),
}
_MAX_SHOWN_EFFECT = 5.0  # of a reason, in log-odds; larger effects have the same bar
_MAX_BAR_REM = 3
_MAX_TEXT_CHARS = 2_000  # of a block
_STYLE = """
:root { color-scheme: light dark; --text: #1c1c1a; --muted: #6b6b66; --line: #ddddd8; --page: #fcfcfa; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e4; --muted: #9a9a94; --line: #3a3a38; --page: #171717; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; margin: .5rem 0; }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; }
.muted, summary { color: var(--muted); font-size: .85rem; }
.legend { display: flex; flex-wrap: wrap; gap: .4rem; padding: 0; list-style: none; }
.legend li { padding: 0 .5rem; border-radius: .3rem; font-size: .85rem; }
.block { display: grid; grid-template-columns: 6.5rem 1fr; gap: .2rem .8rem; margin: .25rem 0; padding: .4rem .6rem;
  border-radius: .3rem; }
.block p { margin: 0; white-space: pre-line; }
.label { font-size: .8rem; line-height: 1.5rem; }
.bar { display: block; height: .3rem; border-radius: .15rem; background: var(--line); }
.bar i { display: block; height: 100%; border-radius: .15rem; background: currentColor; }
.reasons { grid-column: 2; display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: 0; padding: 0; list-style: none;
  font-size: .8rem; }
.reasons i { display: inline-block; height: .5rem; margin-left: .3rem; border-radius: .1rem; }
.for i { background: #3f8f4d; }
.against i { background: #b5532f; }
.path { grid-column: 2; font-size: .75rem; }
details { margin: .25rem 0; }
@media (max-width: 34rem) {
  .block { grid-template-columns: 1fr; }
  .path, .reasons { grid-column: 1; }
  tr, th, td { display: block; padding: 0; border: 0; }
  tr { padding: .3rem 0; border-bottom: 1px solid var(--line); }
}
"""


def write_explain_page(article: Article) -> str:
    """Write the page."""
    title = _escape(article.title or article.url or "No title")
    summary = (
        f"{article.status}: {article.status.meaning}; confidence {article.confidence:.2f}; method {article.method}"
    )
    sections = [
        f"<h1>{title}</h1>\n<p>{_escape(summary)}</p>",
        f"<h2>Fields</h2>\n<table>\n{_write_fields(article)}\n</table>",
        f"<h2>Blocks</h2>\n{_format_page_legend(article.blocks)}",
        *_write_blocks(article.blocks),
    ]
    head = '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">'
    style = f"<style>{_STYLE}{_write_colours()}</style>"
    body = "\n".join(sections)
    head = f"<head>\n{head}\n<title>{title}</title>\n{style}\n</head>"
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n<body>\n{body}\n</body>\n</html>'


def _write_colours() -> str:
    light = [f".{role} {{ background: {_BACKGROUNDS[ROLE_INFOS[role].colour][0]}; }}" for role in Role]
    dark = [f".{role} {{ background: {_BACKGROUNDS[ROLE_INFOS[role].colour][1]}; }}" for role in Role]
    return "\n".join((*light, "@media (prefers-color-scheme: dark) {", *dark, "}", ""))


def _write_fields(article: Article) -> str:
    rows = []
    for name in FIELD_NAMES:
        value = write_value(getattr(article, name))
        source = f"{article.sources[name]} {article.confidences.get(name, 0.0):.2f}" if name in article.sources else ""
        note = f' <span class="muted">{_escape(source)}</span>' if value and source else ""
        rows.append(f"<tr><th>{name}</th><td>{_escape(value) or '–'}{note}</td></tr>")
    return "\n".join(rows)


def _format_page_legend(blocks: Sequence[Block]) -> str:
    items = "".join(f'<li class="{role}">{role}</li>' for role in Role)
    note = "The score is the probability that a block is article text. Boilerplate is folded."
    if any(block.reasons for block in blocks):
        note += (
            " Below a block: the features that weighed most for its role, with their effect on the log-odds of the"
            " score. An effect of +0.7 doubles the odds, -0.7 halves them."
        )
    return f'<p class="muted">{note}</p>\n<ul class="legend">{items}</ul>'


def _write_blocks(blocks: Sequence[Block]) -> Iterator[str]:
    """Write blocks in the order of the page; boilerplate is folded."""
    for is_boilerplate, group in groupby(blocks, key=lambda block: block.role is Role.BOILERPLATE):
        members = list(group)
        written = "\n".join(map(_format_page_block, members))
        if not is_boilerplate:
            yield written
            continue
        best = max(map(attrgetter("score"), members))
        count = f"{format_count(len(members), 'block')} of boilerplate, highest score {best:.2f}"
        yield f"<details>\n<summary>{count}</summary>\n{written}\n</details>"


def _format_page_block(block: Block) -> str:
    text = _escape(block.text[:_MAX_TEXT_CHARS]) + ("…" if len(block.text) > _MAX_TEXT_CHARS else "")
    bar = f'<span class="bar"><i style="width: {round(100 * block.score)}%"></i></span>'
    label = f'<div class="label">{block.role} {block.score:.2f}{bar}</div>'
    tag = "strong" if block.role in (Role.TITLE, Role.HEADING) else "span"
    return (
        f'<div class="block {block.role}">{label}<p><{tag}>{text}</{tag}></p>'
        f'{_write_reasons(block)}<div class="path">{_escape(_describe(block))}</div></div>'
    )


def _write_reasons(block: Block) -> str:
    """Write the features that weighed most; the bar of each shows its effect."""
    if not block.reasons:
        return ""
    items = "".join(map(_write_reason, block.reasons))
    return f'<ul class="reasons">{items}</ul>'


def _write_reason(reason: Reason) -> str:
    width = min(abs(reason.effect) / _MAX_SHOWN_EFFECT, 1)
    kind = "for" if reason.effect > 0 else "against"
    bar = f'<i style="width: {_MAX_BAR_REM * width:.2f}rem"></i>'
    return f'<li class="{kind}">{_escape(reason.feature)} {reason.effect:+.1f}{bar}</li>'


def _describe(block: Block) -> str:
    """Say where a block is and what about it counts: its path, links, hidden text, and whether it is article text."""
    facts = [block.path, f"row {block.nodes.start}"]
    if block.link_share > 0:
        facts.append(f"{block.link_share:.0%} in links")
    if block.is_hidden:
        facts.append("hidden")
    if block.role in CONTENT_ROLES:
        facts.append("in the text")
    return " · ".join(facts)


def _escape(text: str) -> str:
    return escape(clean_text(text))
