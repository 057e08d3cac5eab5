"""The report for people: one HTML file that needs nothing from anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files

from broadsheet.evaluation.report.digest import Digest
from broadsheet.evaluation.report.figures_html import write_calibrations, write_mistakes, write_scatter, write_spreads
from broadsheet.evaluation.report.pages_html import write_pages
from broadsheet.evaluation.report.tables_html import write_groups, write_matches, write_overall
from broadsheet.evaluation.report.views import PageView


def write_html(digest: Digest, views: Sequence[PageView] = ()) -> str:
    """The whole report; nothing in it is fetched, and no text of a page can become markup."""
    sections: tuple[tuple[str, str, Callable[[], str]], ...] = (
        ("overall", "Overall", lambda: write_overall(digest)),
        ("speed", "Quality and speed", lambda: write_scatter(digest)),
        ("significance", "Is the difference real?", lambda: write_matches(digest)),
        ("groups", "Where", lambda: write_groups(digest)),
        ("spread", "Page by page", lambda: write_spreads(digest)),
        ("mistakes", "What goes wrong", lambda: write_mistakes(digest)),
        ("confidence", "Confidence", lambda: write_calibrations(digest)),
        ("pages", "The hardest pages", lambda: write_pages(views, [each.name for each in digest.standings])),
    )
    written = [(name, title, body) for name, title, write in sections if (body := write())]
    links = "".join(f'<a href="#{name}">{escape(title)}</a>' for name, title, _ in written)
    bodies = "".join(f'<section id="{name}"><h2>{escape(title)}</h2>{body}</section>' for name, title, body in written)
    return _PAGE.format(
        style=_read("report.css"),
        script=_read("report.js"),
        lead=_write_lead(digest),
        tiles=_write_tiles(digest),
        links=links,
        bodies=bodies,
        notes=_write_notes(digest),
        date=_today(),
        sets=escape(", ".join(f"{name} ({count})" for name, count in digest.datasets.items() if name)) or "own pages",
    )


# Nothing may be loaded from anywhere, not even by mistake.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

_PAGE = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>Broadsheet evaluation</title><style>{{style}}</style></head><body>
<header class="masthead"><div class="brand">Broadsheet</div>
<div class="edition"><span>Evaluation report</span><span>{{date}}</span><span>{{sets}}</span>
<button type="button" id="theme" aria-label="Switch between light and dark">◐</button></div></header>
<main><p class="lead">{{lead}}</p><div class="tiles">{{tiles}}</div>
<nav class="contents">{{links}}</nav>{{bodies}}{{notes}}</main>
<footer>Made by <code>broadsheet eval</code>. The headline is taken off both sides before texts are compared; intervals
are 95 % bootstrap intervals over pages; a failure counts as an empty answer.</footer>
<script>{{script}}</script></body></html>
"""


def _today() -> str:
    now = datetime.now(UTC)
    return f"{now.day} {now:%B %Y}"


def _read(name: str) -> str:
    return files("broadsheet.evaluation.report").joinpath(name).read_text(encoding="utf-8")


def _write_lead(digest: Digest) -> str:
    """The result in one or two sentences."""
    if not digest.standings or digest.leading is None:
        return "There is nothing to compare: no page has labels that these methods could be held to."
    best = digest.standings[0]
    found = best.figures[digest.leading.name]
    parts = [f"<b>{escape(best.name)}</b> leads with a {digest.leading.name_in_text} of <b>{found.value:.3f}</b>"]
    beaten = [match for match in digest.matches if match.ours == best.name]
    if beaten:
        clear = sum(match.difference.is_significant for match in beaten)
        parts.append(
            ", clearly ahead of " + ("all others" if clear == len(beaten) else f"{clear} of {len(beaten)} others")
            if clear
            else ", though no lead is beyond chance"
        )
    times = {each.name: each.speed.median for each in digest.standings if each.speed}
    if times:
        quick = min(times, key=times.__getitem__)
        parts.append(f". <b>{escape(quick)}</b> is the fastest at {times[quick]:.1f} ms a page")
        if quick != best.name and best.name in times:
            parts.append(f", {_times(times[best.name] / times[quick])} as fast as the leader")
    return "".join(parts) + "."


def _times(factor: float) -> str:
    return f"{factor:.0f} times" if factor >= 2 else f"{factor:.1f} times"


def _write_tiles(digest: Digest) -> str:
    own = next((at for at, each in enumerate(digest.standings, 1) if not each.is_peer), None)
    failed = sum(sum(each.failures.values()) for each in digest.standings)
    tiles = [
        (f"{digest.pages:,}", f"page{'s' * (digest.pages != 1)} of {_plural(len(digest.datasets), 'dataset')}"),
        (f"{len(digest.standings)}", f"method{'s' * (len(digest.standings) != 1)} side by side"),
        *([(f"{own} of {len(digest.standings)}", f"rank of {digest.standings[own - 1].name}")] if own else []),
        (f"{failed:,}" if failed else "none", "failed answers"),
    ]
    return "".join(f"<div><strong>{escape(value)}</strong><span>{escape(text)}</span></div>" for value, text in tiles)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _write_notes(digest: Digest) -> str:
    notes = list(digest.missing)
    for standing in digest.standings:
        notes += [
            f"{standing.name} failed on {_plural(count, 'page')} ({error})"
            for error, count in standing.failures.items()
        ]
    if digest.unscored:
        notes.append(f"{_plural(len(digest.unscored), 'page')} could not be scored: {', '.join(digest.unscored[:10])}")
    if not notes:
        return ""
    return (
        f'<section id="notes"><h2>Notes</h2><ul>{"".join(f"<li>{escape(note)}</li>" for note in notes)}</ul></section>'
    )
