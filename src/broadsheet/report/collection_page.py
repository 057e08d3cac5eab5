"""The report of a collection as HTML. All texts of pages are escaped."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from html import escape

from broadsheet.article import Status
from broadsheet.report.page import ReportPage, Section, Tile, render_page
from broadsheet.report.records import RecordView
from broadsheet.report.summary import CollectionSummary, Host
from broadsheet.site.health import EXPECTED_FIELDS, MIN_PAGES_OF_CHANGE, HealthChange, HealthTotals

_MAX_HOSTS = 200
_MAX_NAME_CHARS = 120
_MIN_GOOD_CONFIDENCE = 0.9  # lower ones are red
_NO_TEXT = '<p class="empty">no text</p>'


def render_report(collection: CollectionSummary) -> str:
    """Return the report as one HTML file."""
    return render_page(
        ReportPage(
            title=f"Broadsheet: {collection.name}",
            edition=("Collection report", collection.name),
            lead=_write_lead(collection),
            tiles=_make_tiles(collection),
            sections=(
                Section("statuses", "Pages by status", _write_statuses(collection)),
                Section("confidence", "Articles by confidence", _draw_histogram(collection.histogram)),
                Section("doubtful", "Doubtful articles", _write_views(collection.doubtful, _DOUBTFUL_NOTE)),
                Section("others", "Pages without an article", _write_views(collection.failed, _OTHERS_NOTE)),
                Section("hosts", "Sites", _write_hosts(collection.hosts)),
            ),
            footer="Made by <code>broadsheet report</code>.",
        )
    )


_DOUBTFUL_NOTE = (
    "Articles with the status ok and the lowest confidence, with the beginning of their text. Records with the column "
    "<code>blocks</code> (<code>extract --with blocks</code>) show the page beside it."
)
_OTHERS_NOTE = "The first pages of other statuses, with the reason."


def _write_lead(collection: CollectionSummary) -> str:
    articles = collection.statuses.get(Status.OK, 0)
    if not collection.pages:
        return "The file has no records."
    share = articles / collection.pages
    confidence = f"a mean confidence of <b>{collection.mean_confidence:.2f}</b>"
    return f"<b>{articles:,}</b> of {collection.pages:,} pages are articles (<b>{share:.0%}</b>), with {confidence}."


def _make_tiles(collection: CollectionSummary) -> tuple[Tile, ...]:
    articles = max(collection.statuses.get(Status.OK, 0), 1)
    shares = [(name, count / articles) for name, count in collection.missing.items()]
    return (
        Tile(f"{collection.pages:,}", "pages"),
        Tile(f"{len(collection.hosts):,}", "sites"),
        *(Tile(f"{share:.0%}", f"articles without {name}") for name, share in shares),
    )


def _write_statuses(collection: CollectionSummary) -> str:
    meanings = {status.value: status.meaning for status in Status}
    rows = []
    for status, count in collection.statuses.items():
        meaning = meanings.get(status, "")
        share = count / collection.pages
        rows.append(
            f'<tr><th>{escape(status)}</th><td class="num">{count:,}</td><td class="num">{share:.1%}</td>'
            f'<td class="chart">{_draw_bar(share)}</td><td class="text">{escape(meaning)}</td></tr>'
        )
    return _write_table(("status", "pages", "share", "", "meaning"), rows)


def _draw_bar(share: float) -> str:
    return (
        '<svg viewBox="0 0 120 10" width="120" height="10" aria-hidden="true">'
        f'<rect class="bar" width="{max(120 * share, 1):.1f}" height="10" rx="2"/></svg>'
    )


def _draw_histogram(counts: Sequence[int]) -> str:
    total = sum(counts)
    if not total:
        return ""
    width, height, base = 640, 190, 160
    step = width / len(counts)
    parts = [f'<svg class="fluid" viewBox="0 0 {width} {height}" role="img" aria-label="articles by confidence">']
    for at, count in enumerate(counts):
        # On a square-root scale a few doubtful articles are visible beside many good ones.
        size = math.sqrt(count / max(counts)) * (base - 20)
        parts.append(
            f'<rect class="bar" x="{at * step + 1:.1f}" y="{base - size:.1f}" width="{step - 2:.1f}" '
            f'height="{size:.1f}" rx="2"><title>{at / len(counts):.2f} to {(at + 1) / len(counts):.2f}: {count:,} of '
            f"{total:,}</title></rect>"
        )
        if count:
            parts.append(
                f'<text x="{(at + 0.5) * step:.1f}" y="{base - size - 4:.1f}" text-anchor="middle">{count:,}</text>'
            )
    for value, anchor in ((0, "start"), (0.5, "middle"), (1, "end")):
        parts.append(f'<text x="{value * width}" y="{height - 8}" text-anchor="{anchor}">{value:g}</text>')
    figure = "".join((*parts, "</svg>"))
    return f'<figure class="wide">{figure}<figcaption>confidence; heights on a square-root scale</figcaption></figure>'


def _write_views(views: Sequence[RecordView], note: str) -> str:
    return f"<p>{note}</p>" + "".join(map(_write_view, views)) if views else ""


def _write_view(view: RecordView) -> str:
    status = [] if view.status == Status.OK else [view.status]
    notes = [*status, view.host, f"{view.chars:,} characters", *(f"no {name}" for name in view.missing)]
    chips = "".join(f'<span class="chip">{escape(note)}</span>' for note in notes)
    address = f"{_write_link(view.url)} {escape(view.place) if view.place != view.url else ''}"
    colour = "" if view.confidence < _MIN_GOOD_CONFIDENCE else " good"
    reason = f'<p class="error">{escape(view.reason)}</p>' if view.reason else ""
    return (
        f'<details class="page"><summary><span class="score{colour}">{view.confidence:.2f}</span>'
        f'<span class="id">{escape(view.name[:_MAX_NAME_CHARS])}</span><span class="chips">{chips}</span></summary>'
        f'<p class="address">{address}</p>{reason}{_write_sample(view)}</details>'
    )


def _write_sample(view: RecordView) -> str:
    """Write the beginning of the text; beside it the blocks of the page, those of the text marked."""
    lines = [f'<p class="line">{escape(line)}</p>' for line in view.sample.splitlines() if line.strip()]
    text = "".join(lines) or _NO_TEXT
    if not view.page:
        return f'<div class="sample">{text}</div>'
    page = "".join(
        f'<p class="line {"right" if line.is_kept else "left_out"}">'
        f"{'' if line.is_kept else f'<em>{escape(line.role)}</em>'}{escape(line.text)}</p>"
        for line in view.page
    )
    return f'<div class="columns two"><div><h3>Text</h3>{text}</div><div><h3>Page</h3>{page}</div></div>'


def _write_link(url: str | None) -> str:
    if not url or not url.startswith(("http://", "https://")):
        return escape(url or "")
    return f'<a href="{escape(url)}" rel="noreferrer noopener">{escape(url)}</a>'


def _write_hosts(hosts: dict[str, Host]) -> str:
    shown = list(hosts.items())[:_MAX_HOSTS]
    rows = [_write_host(name, host) for name, host in shown]
    note = (
        "<p>The sites with the worst health first: few articles, low confidence, missing fields. Drift is the largest "
        f"change of health over time, with at least {MIN_PAGES_OF_CHANGE} pages before and after it; the line shows "
        "the health of each month.</p>"
    )
    more = f"<p>{len(hosts) - len(shown):,} more sites are left out.</p>" if len(hosts) > len(shown) else ""
    missing = (f"without {name}" for name in EXPECTED_FIELDS)
    head = ("site", "health", "drift", "", "pages", "articles", "confidence", *missing)
    return note + _write_table(head, rows) + more if rows else ""


def _write_host(name: str, host: Host) -> str:
    totals = host.totals
    articles = max(totals.articles, 1)
    shares = [totals.missing[name] / articles if totals.articles else None for name in EXPECTED_FIELDS]
    cells = [
        f"{totals.pages:,}",
        f"{totals.articles:,}",
        f"{totals.mean_confidence:.2f}" if totals.articles else "–",
        *("–" if share is None else f"{share:.0%}" for share in shares),
    ]
    numbers = "".join(f'<td class="num">{cell}</td>' for cell in cells)
    drift = _write_drift(host.drift)
    line = f'<td class="chart">{_draw_months(host.months.values())}</td>'
    health = f'<td class="num">{totals.health:.2f}</td>'
    return f"<tr><th>{escape(name)}</th>{health}<td>{drift}</td>{line}{numbers}</tr>"


def _write_drift(drift: HealthChange | None) -> str:
    if drift is None:
        return "–"
    kind = "extra" if drift.change < 0 else "right"
    return f'<span class="key {kind}">{drift.change:+.2f}</span> since {escape(drift.month)}'


def _draw_months(months: Collection[HealthTotals]) -> str:
    """Draw the health of each month, from 0 to 1."""
    if len(months) < 2:
        return ""
    width, height = 120, 24
    step = (width - 6) / (len(months) - 1)
    points = " ".join(
        f"{3 + at * step:.1f},{3 + (1 - totals.health) * (height - 6):.1f}" for at, totals in enumerate(months)
    )
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" aria-hidden="true">'
        f'<line class="rule" x1="0" x2="{width}" y1="{height - 0.5}" y2="{height - 0.5}"/>'
        f'<polyline class="curve" points="{points}"/></svg>'
    )


def _write_table(head: Iterable[str], rows: Iterable[str]) -> str:
    cells = "".join(f"<th>{escape(name)}</th>" if name else '<th class="chart"></th>' for name in head)
    table = f"<table><thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<div class="scroll" tabindex="0">{table}</div>'
