"""The report for readers: one HTML file that loads nothing from the network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from broadsheet.evaluation.figures import MEASURES, Estimate, Measure
from broadsheet.evaluation.report.charts import (
    draw_whisker,
    write_calibrations,
    write_errors,
    write_histograms,
    write_scatter,
)
from broadsheet.evaluation.report.pages import WorstPage, write_pages
from broadsheet.evaluation.report.summary import (
    COST_LABELS,
    TABLE_MEASURES,
    Comparison,
    PageGroup,
    Standing,
    Summary,
    format_costs,
    format_value,
    list_notes,
)
from broadsheet.report.page import ReportPage, Section, Tile, render_page
from broadsheet.text import format_count


def write_html(summary: Summary, views: Sequence[WorstPage] = ()) -> str:
    """Return the report as HTML. All texts of pages are escaped."""
    datasets = ", ".join(f"{name} ({count})" for name, count in summary.datasets.items() if name)
    return render_page(
        ReportPage(
            title="Broadsheet evaluation",
            edition=("Evaluation report", datasets or "unnamed dataset"),
            lead=_write_lead(summary),
            tiles=_make_tiles(summary),
            sections=(
                Section("overall", "Overall", write_overall(summary)),
                Section("speed", "Quality and speed", write_scatter(summary)),
                Section("significance", "Significance", write_comparisons(summary)),
                Section("groups", "Results by group", write_groups(summary)),
                Section("distribution", "Distribution over pages", write_histograms(summary)),
                Section("errors", "Errors by kind", write_errors(summary)),
                Section("confidence", "Calibration of confidence", write_calibrations(summary)),
                Section("pages", "Lowest-scoring pages", write_pages(views, summary.names)),
                Section("notes", "Notes", _write_notes(summary)),
            ),
            footer=_FOOTER,
        )
    )


_FOOTER = """\
Made by <code>broadsheet eval</code>. The headline is removed from both texts before they are compared.
Intervals are 95 % bootstrap intervals over pages. A failure counts as an empty answer."""


def _write_lead(summary: Summary) -> str:
    """Return the main result in one or two sentences."""
    if not summary.standings or summary.main_measure is None:
        return "No page has labels for the fields that these contenders extract: there is nothing to compare."
    best = summary.standings[0]
    value = best.figures[summary.main_measure.name].value
    lead = f"<b>{escape(best.name)}</b> has the highest {summary.main_measure.name_in_text}, <b>{value:.3f}</b>"
    return f"{lead}{_write_significance(summary, best.name)}.{_write_speed(summary, best.name)}"


def _write_significance(summary: Summary, best: str) -> str:
    differences = [comparison.difference for comparison in summary.comparisons if comparison.ours == best]
    if not differences:
        return ""
    count = sum(difference.is_significant for difference in differences)
    if not count:
        return "; no difference is significant"
    others = "all others" if count == len(differences) else f"{count} of {len(differences)} others"
    return f", significantly higher than {others}"


def _write_speed(summary: Summary, best: str) -> str:
    times = {standing.name: standing.speed.median for standing in summary.standings if standing.speed}
    if not times:
        return ""
    fastest = min(times, key=times.__getitem__)
    text = f" <b>{escape(fastest)}</b> is the fastest with {times[fastest]:.1f} ms per page"
    if fastest != best and best in times:
        factor = times[best] / times[fastest]
        text += f", {factor:.{0 if factor >= 2 else 1}f} times as fast as {escape(best)}"
    return f"{text}."


def _make_tiles(summary: Summary) -> tuple[Tile, ...]:
    count = len(summary.standings)
    ranks = [(rank, standing.name) for rank, standing in enumerate(summary.standings, 1) if not standing.is_peer]
    failed = sum(sum(standing.failures.values()) for standing in summary.standings)
    return (
        Tile(f"{summary.pages:,}", f"pages from {format_count(len(summary.datasets), 'dataset')}"),
        Tile(f"{count}", "contenders"),
        *(Tile(f"{rank} of {count}", f"rank of {name}") for rank, name in ranks[:1]),
        Tile(f"{failed:,}", "failed answers"),
    )


def _write_notes(summary: Summary) -> str:
    notes = list_notes(summary)
    return f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul>" if notes else ""


_OVERALL_MEASURES = ("shingle_precision", "shingle_recall", *TABLE_MEASURES)
_COST_DESCRIPTIONS = ("median", "95th percentile", "peak resident memory", "pages")
MAX_GROUP_ROWS = 25  # further rows are folded
# Colours follow the logarithm of the error, 1 - value: 0.991 and 0.973 differ as much as 0.91 and 0.73.
MAX_HEAT_ERROR = 0.5  # at this error and above, cells have no colour
MIN_HEAT_ERROR = 0.005  # at this error and below, the full colour
_MISSING_CELL = '<td class="num none">–</td>'


def write_overall(summary: Summary) -> str:
    """Return the table of all contenders: main measure with its interval, other measures, costs."""
    main = summary.main_measure
    if main is None:
        return ""
    measures = [measure for measure in summary.select_measures(_OVERALL_MEASURES) if measure != main]
    estimates = [standing.figures[main.name] for standing in summary.standings if main.name in standing.figures]
    low, high = min(estimate.low for estimate in estimates), max(estimate.high for estimate in estimates)
    rows = []
    for standing in summary.standings:
        cells = "".join(_write_cell(measure, standing, summary) for measure in measures)
        costs = "".join(f'<td class="num">{cost}</td>' for cost in format_costs(standing))
        rows.append(
            f'<tr class="{standing.kind}"><th scope="row">{escape(standing.name)}'
            f"<small>{escape(standing.version) if standing.is_peer else 'Broadsheet'}</small></th>"
            f"{_write_main_cells(standing.figures.get(main.name), low, high)}{cells}{costs}</tr>"
        )
    heads = "".join(_write_head(measure.label, measure.description) for measure in measures)
    cost_heads = "".join(map(_write_head, COST_LABELS, _COST_DESCRIPTIONS))
    return (
        f'<div class="scroll" tabindex="0"><table class="overall"><thead><tr><th>Contender</th>'
        f"{_write_head(main.label, main.description)}<th>95 % interval</th>{heads}{cost_heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>{_write_all_measures(summary)}"
    )


def _write_head(label: str, description: str) -> str:
    return f'<th class="num" title="{escape(description)}">{escape(label)}</th>'


def _write_main_cells(estimate: Estimate | None, low: float, high: float) -> str:
    if estimate is None:
        return "<td></td><td></td>"
    return (
        f'<td class="num main">{estimate.value:.3f}<small>{estimate.low:.3f}–{estimate.high:.3f}</small></td>'
        f"<td>{draw_whisker(estimate, low, high)}</td>"
    )


def _write_cell(measure: Measure, standing: Standing, summary: Summary) -> str:
    estimate = standing.figures.get(measure.name)
    if estimate is None:
        return _MISSING_CELL
    mark = " best" if estimate.value == summary.find_best(measure) else ""
    interval = f"{format_value(estimate.low, measure)} to {format_value(estimate.high, measure)}"
    return (
        f'<td class="num{mark}" title="{interval}, {estimate.pages} pages">{format_value(estimate.value, measure)}</td>'
    )


def _write_all_measures(summary: Summary) -> str:
    head = "".join(f'<th class="num">{escape(name)}</th>' for name in summary.names)
    rows = []
    for measure in summary.select_measures(tuple(MEASURES)):
        cells = "".join(_write_interval_cell(measure, standing) for standing in summary.standings)
        label = f"{escape(measure.label)}<small>{escape(measure.description)}</small>"
        rows.append(f'<tr><th scope="row">{label}</th>{cells}</tr>')
    return (
        '<details class="more"><summary>All measures with intervals</summary><div class="scroll" tabindex="0"><table>'
        f"<thead><tr><th>Measure</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def _write_interval_cell(measure: Measure, standing: Standing) -> str:
    estimate = standing.figures.get(measure.name)
    if estimate is None:
        return _MISSING_CELL
    value, low, high = (format_value(number, measure) for number in (estimate.value, estimate.low, estimate.high))
    return f'<td class="num">{value}<small>{low}–{high}</small></td>'


def write_comparisons(summary: Summary) -> str:
    """Return the table of differences between all pairs of contenders."""
    if not summary.comparisons or summary.main_measure is None:
        return ""
    names = summary.names
    comparisons = {(comparison.ours, comparison.theirs): comparison for comparison in summary.comparisons}
    head = "".join(f'<th class="num">{escape(name)}</th>' for name in names[1:])
    rows = []
    for at, ours in enumerate(names[:-1]):
        cells = ['<td class="void"></td>'] * at
        cells += [_write_comparison(comparisons.get((ours, theirs))) for theirs in names[at + 1 :]]
        rows.append(f'<tr><th scope="row">{escape(ours)}</th>{"".join(cells)}</tr>')
    return (
        f"<p>Difference in {escape(summary.main_measure.name_in_text)} on the same pages, row minus column. Filled: "
        "significant (p&nbsp;&lt;&nbsp;0.05, approximate randomisation). Outlined: not significant.</p>"
        f'<div class="scroll" tabindex="0"><table class="matrix"><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _write_comparison(comparison: Comparison | None) -> str:
    if comparison is None:
        return _MISSING_CELL
    difference = comparison.difference
    mark = " significant" if difference.is_significant else ""
    interval = f"{difference.low:+.3f} to {difference.high:+.3f}"
    title = f"{interval}, p = {difference.p_value:.3f}, {difference.pages} pages"
    return f'<td class="num"><span class="difference{mark}" title="{title}">{difference.value:+.3f}</span></td>'


def write_groups(summary: Summary) -> str:
    """Return the main measure by dataset, language, site and year: a tab for each with more than one group."""
    tabs, panels = [], []
    for name, groups in summary.groups.items():
        if len(groups) > 1 or (name == "dataset" and groups):
            tabs.append(f'<button type="button" data-tab="group-{name}">By {name}</button>')
            panels.append(f'<div class="panel" id="group-{name}">{_write_group_table(name, groups, summary)}</div>')
    if not tabs or summary.main_measure is None:
        return ""
    return (
        f"<p>{escape(summary.main_measure.label)} of each contender. Stronger colour is better, on a "
        "logarithmic scale of the error; bold is the best of its row.</p>"
        f'<div class="tabs">{"".join(tabs)}</div>{"".join(panels)}'
    )


def _write_group_table(name: str, groups: Sequence[PageGroup], summary: Summary) -> str:
    names = "".join(f'<th class="num">{escape(contender)}</th>' for contender in summary.names)
    head = f'<tr><th>{escape(name.title())}</th><th class="num">pages</th>{names}</tr>'
    rows = [_write_group_row(group, summary.names) for group in groups]
    html = _write_heat_table(head, rows[:MAX_GROUP_ROWS])
    if rest := rows[MAX_GROUP_ROWS:]:
        table = _write_heat_table(head, rest)
        html += f'<details class="more"><summary>{len(rest)} more</summary>{table}</details>'
    return html


def _write_heat_table(head: str, rows: Sequence[str]) -> str:
    body = "".join(rows)
    return (
        f'<div class="scroll" tabindex="0"><table class="heat"><thead>{head}</thead><tbody>{body}</tbody></table></div>'
    )


def _write_group_row(group: PageGroup, contenders: Sequence[str]) -> str:
    best = max((estimate.value for estimate in group.figures.values()), default=0.0)
    cells = "".join(_write_group_cell(group.figures.get(contender), best) for contender in contenders)
    return f'<tr><th scope="row">{escape(group.name)}</th><td class="num">{group.pages}</td>{cells}</tr>'


def _write_group_cell(estimate: Estimate | None, best: float) -> str:
    if estimate is None:
        return _MISSING_CELL
    heat = measure_heat(estimate.value)
    mark = " best" if estimate.value == best else ""
    interval = f"{estimate.low:.3f} to {estimate.high:.3f}, " if estimate.high > estimate.low else ""
    title = f"{interval}{estimate.pages} pages"
    return f'<td class="num heat{mark}" style="--heat:{heat}" title="{title}">{estimate.value:.3f}</td>'


def measure_heat(value: float) -> float:
    """Return the strength of a cell's colour, 0 to 1."""
    error = min(max(1 - value, MIN_HEAT_ERROR), MAX_HEAT_ERROR)
    return round(math.log(MAX_HEAT_ERROR / error) / math.log(MAX_HEAT_ERROR / MIN_HEAT_ERROR), 3)
