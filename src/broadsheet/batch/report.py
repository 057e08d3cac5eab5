"""Reports of a run: what is in the parts, and what went wrong. report.html loads nothing from the network."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from html import escape

from broadsheet.batch.folder import REPORTS, Failure
from broadsheet.batch.manifest import Part
from broadsheet.batch.process import CONFIDENCE_BINS, rank_counts
from broadsheet.batch.sources import SourceList
from broadsheet.batch.store import Output
from broadsheet.extras import import_extra
from broadsheet.report.page import ReportPage, Section, Tile, render_page
from broadsheet.text import format_count
from broadsheet.version import __version__

_MAX_NAMES = 50  # hosts and languages in the report
_MAX_FAULTS = 1_000
_MAX_SLOWEST = 10
_COLUMNS = ["status", "host", "language", "date", "confidence"]
_LIVE_SECONDS = 30  # between two reports of a run that goes on


@dataclass(frozen=True, slots=True)
class BatchReport:
    """Numbers of all parts of the table."""

    broadsheet_version: str
    inputs: int
    input_bytes: int
    output_bytes: int
    rows: int
    statuses: dict[str, int]
    skipped: dict[str, int]  # records that are not pages, by reason
    dropped: dict[str, int]  # pages that a filter or the sample left out, by reason
    hosts: dict[str, int]  # the most frequent; of parts with very many hosts, only their most frequent ones are counted
    host_count: int  # at least
    languages: dict[str, int]
    years: dict[str, int]
    confidences: list[int]  # articles with the status ok, in ten bins from 0 to 1
    cpu_seconds: float
    ms_per_row: float  # of processor time
    faults: list[dict[str, str]] = field(default_factory=list)  # inputs that could not be read completely
    failures: list[dict[str, str]] = field(default_factory=list)  # inputs without a current part: run again
    left: int = 0  # inputs that are not processed yet
    unread: dict[str, int] = field(default_factory=dict)  # files of folders that are not pages, by ending
    problems: list[str] = field(default_factory=list)  # what could not be read, or was left out
    other_parts: list[str] = field(default_factory=list)  # parts in the table whose inputs were not given
    slowest: list[dict[str, str | float]] = field(default_factory=list)  # inputs, by ms of processor time per row


class ReportWriter:
    """Adds up the entries of parts as they come, and writes reports: the parts themselves are not read."""

    def __init__(self, output: Output, sources: SourceList) -> None:
        self._output = output
        self._sources = sources
        self._totals: dict[str, Counter[str]] = {name: Counter() for name in _TOTALS}
        self._sums: Counter[str] = Counter()
        self._max_hosts = 0
        self._faults: list[dict[str, str]] = []
        self._slowest: list[tuple[float, str, float]] = []
        self._began = self._written = time.monotonic()
        self.failures: list[Failure] = []
        self.other_parts: Sequence[str] = ()
        self.left = 0

    def add(self, part: Part) -> None:
        """Count a part."""
        part = part if part.host_count >= 0 else _count_rows(self._output, part)
        for name, total in self._totals.items():
            total.update(getattr(part, name))
        for name in _SUMS:
            self._sums[name] += getattr(part, name)
        self._sums["parts"] += 1
        self._max_hosts = max(self._max_hosts, part.host_count)
        if part.fault and len(self._faults) < _MAX_FAULTS:
            self._faults.append({"source": part.source, "reason": part.fault})
        self._slowest.append((part.cpu_seconds / max(part.rows, 1), part.source, part.seconds))
        if len(self._slowest) > 100 * _MAX_SLOWEST:
            self._slowest = sorted(self._slowest, reverse=True)[:_MAX_SLOWEST]

    def write_if_due(self) -> None:
        """Write the reports of a run that goes on, from time to time."""
        if time.monotonic() - self._written >= _LIVE_SECONDS:
            self.write()

    def write(self) -> BatchReport:
        """Write report.json, report.html and metrics.prom."""
        report = self._make()
        self._output.write(f"{REPORTS}/report.json", json.dumps(asdict(report), indent=1).encode())
        self._output.write(f"{REPORTS}/report.html", write_html(report, self._output.name).encode(errors="replace"))
        self._output.write(f"{REPORTS}/metrics.prom", self._write_metrics(report).encode(errors="replace"))
        self._written = time.monotonic()
        return report

    def _make(self) -> BatchReport:
        rows, cpu = int(self._sums["rows"]), self._sums["cpu_seconds"]
        totals = self._totals
        return BatchReport(
            broadsheet_version=__version__,
            inputs=int(self._sums["parts"]) + len(self.failures) + self.left,
            input_bytes=int(self._sums["input_bytes"]),
            output_bytes=int(self._sums["file_bytes"]),
            rows=rows,
            **{name: dict(rank_counts(totals[name])) for name in ("statuses", "skipped", "dropped")},
            hosts=dict(rank_counts(totals["hosts"])[:_MAX_NAMES]),
            host_count=max(len(totals["hosts"]), self._max_hosts),
            languages=dict(rank_counts(totals["languages"])[:_MAX_NAMES]),
            years=dict(sorted(totals["years"].items())),
            confidences=[totals["confidences"][str(number)] for number in range(CONFIDENCE_BINS)],
            cpu_seconds=round(cpu, 1),
            ms_per_row=round(1000 * cpu / rows, 2) if rows else 0.0,
            faults=self._faults,
            failures=[{"source": item.source.name, "reason": item.reason} for item in self.failures][:_MAX_FAULTS],
            left=self.left,
            unread=dict(self._sources.unread),
            problems=list(self._sources.problems)[:_MAX_FAULTS],
            other_parts=list(self.other_parts)[:_MAX_FAULTS],
            slowest=[
                {"source": source, "ms_per_row": round(1000 * per_row, 2), "seconds": seconds}
                for per_row, source, seconds in sorted(self._slowest, reverse=True)[:_MAX_SLOWEST]
            ],
        )

    def _write_metrics(self, report: BatchReport) -> str:
        """Return the numbers in the text format of Prometheus, for the textfile collector of its node exporter."""
        values: dict[str, float] = {
            "inputs_left": report.left,
            "inputs_failed": len(self.failures),
            "inputs_faulty": len(report.faults),
            "input_bytes": report.input_bytes,
            "output_bytes": report.output_bytes,
            "cpu_seconds": report.cpu_seconds,
            "run_seconds": round(time.monotonic() - self._began, 1),
            **{f'rows{{status="{name}"}}': count for name, count in report.statuses.items()},
        }
        return "".join(f"broadsheet_batch_{name} {value}\n" for name, value in values.items())


_TOTALS = ("statuses", "skipped", "dropped", "hosts", "languages", "years", "confidences")
_SUMS = ("rows", "file_bytes", "input_bytes", "cpu_seconds")


def _count_rows(output: Output, part: Part) -> Part:
    """Return a part of version 0.2 with counts, from its rows."""
    parquet = import_extra("pyarrow.parquet", "tables")
    hosts, languages, years, bins = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    with output.open_part(part.file) as opened, parquet.ParquetFile(opened) as file:
        for batch in file.iter_batches(columns=_COLUMNS):
            rows = batch.to_pydict()
            hosts.update(host for host in rows["host"] if host)
            languages.update(language for language in rows["language"] if language)
            years.update(str(moment.year) for moment in rows["date"] if moment)
            pairs = zip(rows["status"], rows["confidence"], strict=True)
            bins.update(
                str(min(int(value * CONFIDENCE_BINS), CONFIDENCE_BINS - 1)) for status, value in pairs if status == "ok"
            )
    return replace(part, hosts=hosts, host_count=len(hosts), languages=languages, years=years, confidences=bins)


_BAR_PIXELS = 120


def write_html(report: BatchReport, name: str) -> str:
    """Return the report as HTML."""
    bins = {f"{number / 10:.1f} to {(number + 1) / 10:.1f}": count for number, count in enumerate(report.confidences)}
    faults = [(item["source"], item["reason"]) for item in (*report.failures, *report.faults)]
    slowest = [(str(item["source"]), f"{item['ms_per_row']} ms per row") for item in report.slowest]
    sections = (
        Section("statuses", "Pages by status", _write_counts(report.statuses)),
        Section("confidence", "Articles (status ok) by confidence", _write_counts(bins)),
        Section("hosts", f"Hosts: the most frequent of at least {report.host_count:,}", _write_counts(report.hosts)),
        Section("languages", "Languages", _write_counts(report.languages)),
        Section("years", "Years of publication", _write_counts(report.years)),
        Section("skipped", "Records that are not pages", _write_counts(report.skipped)),
        Section("dropped", "Pages left out by filters and sample", _write_counts(report.dropped)),
        Section("faults", "Faults of inputs", _write_faults(faults)),
        Section("problems", "Left out", _write_faults([("", problem) for problem in report.problems])),
        Section("unread", "Files of folders that are not pages", _write_counts(report.unread)),
        Section("other", "Parts of other inputs", _write_faults([("", name) for name in report.other_parts])),
        Section("slowest", "Slowest inputs", _write_faults(slowest)),
    )
    page = ReportPage(
        title=f"Batch {name}",
        edition=("Batch", name),
        lead=(
            f"{format_count(report.rows, 'row')} from {format_count(report.inputs, 'input')}: "
            f"{show_bytes(report.input_bytes)} in, {show_bytes(report.output_bytes)} out."
            + (f" The run goes on: {format_count(report.left, 'input')} left." if report.left else "")
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


def show_bytes(value: float) -> str:
    """Return a number of bytes with a unit, such as "1.5 MB"."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if value >= size:
            return f"{value / size:,.1f} {unit}"
    return f"{value / 1e3:,.1f} KB"
