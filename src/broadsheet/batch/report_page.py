"""report.html: one file that loads nothing from the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadsheet.batch.report import BatchReport

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
h1, h2 { font-family: Georgia, serif; font-weight: normal; }
table { border-collapse: collapse; width: 100%; margin-bottom: 1.5rem; }
td, th { text-align: left; padding: .15rem .5rem; vertical-align: top; overflow-wrap: anywhere; }
td.number { text-align: right; font-variant-numeric: tabular-nums; width: 7rem; }
td.bar { width: 40%; } td.bar div { background: #2a6f97; height: .8rem; min-width: 1px; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; } td.bar div { background: #61a5c2; } }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def write_report_page(report: BatchReport, name: str) -> str:
    """Return the report as HTML."""
    total = report.rows
    bins = {f"{number / 10:.1f} to {(number + 1) / 10:.1f}": count for number, count in enumerate(report.confidences)}
    faults = [(item["source"], item["reason"]) for item in (*report.failures, *report.faults)]
    sections = [
        _write_counts("Pages by status", report.statuses, total),
        _write_counts("Articles (status ok) by confidence", bins, sum(report.confidences)),
        _write_counts(f"Hosts (the most frequent of {report.host_count:,})", report.hosts, total),
        _write_counts("Languages", report.languages, total),
        _write_counts("Years of publication", report.years, total),
        _write_counts("Records that are not pages", report.skipped, sum(report.skipped.values())),
        _write_counts("Pages left out by filters and sample", report.dropped, sum(report.dropped.values())),
        _write_faults(faults),
    ]
    lead = (
        f"{total:,} rows from {report.inputs:,} inputs. "
        f"{report.input_bytes / 1e6:,.1f} MB in, {report.output_bytes / 1e6:,.1f} MB out. "
        f"{report.cpu_seconds:,.1f} s of processor time, {report.ms_per_row:.2f} ms a row. "
        f"Broadsheet {report.broadsheet_version}."
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>Batch {escape(name)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>Batch {escape(name)}</h1><p>{escape(lead)}</p>"
        f"{''.join(sections)}</body></html>\n"
    )


def _write_counts(title: str, counts: Mapping[str, int], total: int) -> str:
    if not counts:
        return ""
    rows = "".join(
        f'<tr><td>{escape(name)}</td><td class="number">{count:,}</td>'
        f'<td class="number">{count / max(total, 1):.1%}</td>'
        f'<td class="bar"><div style="width:{100 * count / max(max(counts.values()), 1):.1f}%"></div></td></tr>'
        for name, count in counts.items()
    )
    return f"<h2>{escape(title)}</h2><table>{rows}</table>"


def _write_faults(faults: Sequence[tuple[str, str]]) -> str:
    if not faults:
        return ""
    rows = "".join(f"<tr><td>{escape(source)}</td><td>{escape(reason)}</td></tr>" for source, reason in faults)
    return f"<h2>Faults of inputs</h2><table>{rows}</table>"
