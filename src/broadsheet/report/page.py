"""Write the frame of a report around its sections."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from importlib.resources import files

# The browser must not load anything, even if markup of a page slipped through.
_CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

_PAGE = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_CONTENT_POLICY}">
<title>{{title}}</title><style>{{style}}</style></head><body>
<header class="masthead"><div class="brand">Broadsheet</div>
<div class="edition">{{edition}}
<button type="button" id="theme" aria-label="Switch between light and dark">◐</button></div></header>
<main><h1 class="lead">{{lead}}</h1><div class="tiles">{{tiles}}</div>
<nav class="contents">{{links}}</nav>{{bodies}}</main>
<footer>{{footer}}</footer>
<script>{{script}}</script></body></html>
"""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a report."""

    name: str  # anchor
    title: str
    body: str  # HTML; sections without a body are left out


@dataclass(frozen=True, slots=True)
class Tile:
    """A number with its meaning, at the top of a report."""

    value: str
    text: str


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The content of a report. `lead` and `footer` are HTML, all other texts are escaped."""

    title: str
    edition: tuple[str, ...]  # below the name: what the report is about; the date is added
    lead: str
    tiles: tuple[Tile, ...]
    sections: tuple[Section, ...]
    footer: str


def render_page(page: ReportPage) -> str:
    """Return a report as one HTML file."""
    sections = [section for section in page.sections if section.body]
    kind, *subjects = page.edition
    return _PAGE.format(
        title=escape(page.title),
        style=_read_resource("report.css"),
        script=_read_resource("report.js"),
        edition="".join(f"<span>{escape(text)}</span>" for text in (kind, _format_today(), *subjects)),
        lead=page.lead,
        tiles="".join(
            f"<div><strong>{escape(tile.value)}</strong><span>{escape(tile.text)}</span></div>" for tile in page.tiles
        ),
        links="".join(f'<a href="#{section.name}">{escape(section.title)}</a>' for section in sections),
        bodies="".join(
            f'<section id="{section.name}"><h2>{escape(section.title)}</h2>{section.body}</section>'
            for section in sections
        ),
        footer=page.footer,
    )


def _format_today() -> str:
    now = datetime.now(UTC)
    return f"{now.day} {now:%B %Y}"


def _read_resource(name: str) -> str:
    return files("broadsheet.report").joinpath(name).read_text(encoding="utf-8")
