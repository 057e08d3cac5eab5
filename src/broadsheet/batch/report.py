"""report.json and report.html: what is in the parts, and what went wrong. The page loads nothing from the network."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

from broadsheet.batch.folder import Failure, Part
from broadsheet.batch.store import Output
from broadsheet.extras import import_extra
from broadsheet.report.page import ReportPage, Section, Tile, render_page
from broadsheet.text import format_count
from broadsheet.version import __version__

_BINS = 10  # of confidences
_MAX_NAMES = 50  # hosts and languages in the report
_MAX_FAULTS = 1_000
_COLUMNS = ["status", "host", "language", "date", "confidence"]


@dataclass(frozen=True, slots=True)
class BatchReport:
    """Numbers of all parts."""

    broadsheet_version: str
    inputs: int
    input_bytes: int
    output_bytes: int
    rows: int
    statuses: dict[str, int]
    skipped: dict[str, int]  # records that are not pages, by reason
    dropped: dict[str, int]  # pages that a filter or the sample left out, by reason
    hosts: dict[str, int]  # the most frequent
    host_count: int
    languages: dict[str, int]
    years: dict[str, int]
    confidences: list[int]  # articles with the status ok, in ten bins from 0 to 1
    cpu_seconds: float
    ms_per_row: float  # of processor time
    faults: list[dict[str, str]] = field(default_factory=list)  # inputs that could not be read completely
    failures: list[dict[str, str]] = field(default_factory=list)  # inputs without a part: run again


def write_reports(output: Output, parts: Sequence[Part], failures: Sequence[Failure]) -> BatchReport:
    """Write report.json and report.html to the output folder."""
    report = make_report(output, parts, failures)
    output.write_text("report.json", json.dumps(asdict(report), ensure_ascii=False, indent=1))
    output.write_text("report.html", write_html(report, output.name))
    return report


def make_report(output: Output, parts: Sequence[Part], failures: Sequence[Failure]) -> BatchReport:
    """Count the rows of all parts. Only the columns that are counted are read."""
    counts: dict[str, Counter[Any]] = {name: Counter() for name in ("host", "language", "year", "bin")}
    for batch in _read_parts(output, parts):
        _count_batch(batch, counts)
    rows, cpu = sum(part.rows for part in parts), sum(part.cpu_seconds for part in parts)
    return BatchReport(
        broadsheet_version=__version__,
        inputs=len(parts) + len(failures),
        input_bytes=sum(part.input_bytes for part in parts),
        output_bytes=sum(part.file_bytes for part in parts),
        rows=rows,
        statuses=_add_counts([part.statuses for part in parts]),
        skipped=_add_counts([part.skipped for part in parts]),
        dropped=_add_counts([part.dropped for part in parts]),
        hosts=dict(_rank(counts["host"])[:_MAX_NAMES]),
        host_count=len(counts["host"]),
        languages=dict(_rank(counts["language"])[:_MAX_NAMES]),
        years=dict(sorted(counts["year"].items())),
        confidences=[counts["bin"][number] for number in range(_BINS)],
        cpu_seconds=round(cpu, 1),
        ms_per_row=round(1000 * cpu / rows, 2) if rows else 0.0,
        faults=[{"source": part.source, "reason": part.fault} for part in parts if part.fault][:_MAX_FAULTS],
        failures=[{"source": item.source.name, "reason": item.reason} for item in failures][:_MAX_FAULTS],
    )


def _read_parts(output: Output, parts: Sequence[Part]) -> Iterator[dict[str, list[Any]]]:
    parquet = import_extra("pyarrow.parquet", "tables")
    for part in parts:
        with output.open_part(part) as opened, parquet.ParquetFile(opened) as file:
            for batch in file.iter_batches(columns=_COLUMNS):
                yield batch.to_pydict()


def _count_batch(batch: dict[str, list[Any]], counts: dict[str, Counter[Any]]) -> None:
    counts["host"].update(host for host in batch["host"] if host)
    counts["language"].update(language for language in batch["language"] if language)
    counts["year"].update(str(moment.year) for moment in batch["date"] if moment)
    pairs = zip(batch["status"], batch["confidence"], strict=True)
    counts["bin"].update(min(int(value * _BINS), _BINS - 1) for status, value in pairs if status == "ok")


def _add_counts(items: Sequence[Any]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for item in items:
        total.update(item)
    return dict(_rank(total))


def _rank(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


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


def show_bytes(value: float) -> str:
    """Return a number of bytes with a unit, such as "1.5 MB"."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if value >= size:
            return f"{value / size:,.1f} {unit}"
    return f"{value / 1e3:,.1f} KB"
