"""report.html: one file that loads nothing from the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from broadsheet.batch.show_bytes import show_bytes
from broadsheet.report.page import ReportPage, Section, Tile, render_page
from broadsheet.text import format_count

if TYPE_CHECKING:
    from broadsheet.batch.report import BatchReport

_BAR_PIXELS = 120


def write_html(report: BatchReport, name: str) -> str:
    """Return the report as HTML."""
    bins = {f"{number / 10:.1f} to {(number + 1) / 10:.1f}": count for number, count in enumerate(report.confidences)}
    faults = [(item["source"], item["reason"]) for item in (*report.failures, *report.faults)]
    sections = (
        Section("statuses", "Pages by status", _write_counts(report.statuses)),
        Section("confidence", "Articles (status ok) by confidence", _write_counts(bins)),
        Section("hosts", f"Hosts: the most frequent of {report.host_count:,}", _write_counts(report.hosts)),
        Section("languages", "Languages", _write_counts(report.languages)),
        Section("years", "Years of publication", _write_counts(report.years)),
        Section("skipped", "Records that are not pages", _write_counts(report.skipped)),
        Section("dropped", "Pages left out by filters and sample", _write_counts(report.dropped)),
        Section("faults", "Faults of inputs", _write_faults(faults)),
    )
    page = ReportPage(
        title=f"Batch {name}",
        edition=("Batch", name),
        lead=(
            f"{format_count(report.rows, 'row')} from {format_count(report.inputs, 'input')}: "
            f"{show_bytes(report.input_bytes)} in, {show_bytes(report.output_bytes)} out."
        ),
        tiles=(
            Tile(f"{report.rows:,}", "rows"),
            Tile(f"{report.statuses.get('ok', 0) / max(report.rows, 1):.1%}", "with the status ok"),
            Tile(f"{report.ms_per_row:.1f} ms", "of processor time per row"),
            Tile(f"{len(faults):,}", "inputs with faults"),
        ),
        sections=sections,
        footer=f"Broadsheet {escape(report.broadsheet_version)}",
    )
    return render_page(page)


def _write_counts(counts: Mapping[str, int]) -> str:
    total, largest = sum(counts.values()), max(counts.values(), default=0)
    if not largest:
        return ""
    rows = "".join(
        f'<tr><th>{escape(name)}</th><td class="num">{count:,}</td><td class="num">{count / total:.1%}</td>'
        f'<td style="width:{_BAR_PIXELS}px">{_draw_bar(count / largest)}</td></tr>'
        for name, count in counts.items()
    )
    return f'<div class="scroll"><table><tbody>{rows}</tbody></table></div>'


def _draw_bar(share: float) -> str:
    """Draw a bar that shrinks with its column, on narrow screens."""
    if not share:
        return ""
    return (
        f'<svg viewBox="0 0 {_BAR_PIXELS} 10" preserveAspectRatio="none" height="10" aria-hidden="true" '
        f'style="width:100%;min-width:16px;max-width:{_BAR_PIXELS}px">'
        f'<rect class="bar" width="{max(_BAR_PIXELS * share, 1):.1f}" height="10" rx="2"/></svg>'
    )


def _write_faults(faults: Sequence[tuple[str, str]]) -> str:
    if not faults:
        return ""
    rows = "".join(f"<tr><th>{escape(source)}</th><td>{escape(reason)}</td></tr>" for source, reason in faults)
    return f'<div class="scroll"><table><tbody>{rows}</tbody></table></div>'
