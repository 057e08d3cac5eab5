"""The tables of the HTML report: overall, comparisons, groups."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from broadsheet.evaluation.intervals import Estimate
from broadsheet.evaluation.report.charts import draw_whisker
from broadsheet.evaluation.report.digest import Digest, Group, Match, Standing
from broadsheet.evaluation.summary import MEASURES, Measure

_BESIDE = ("shingle_precision", "shingle_recall", "word_f1", "rouge_lsum", "block_f1", "snippet_f1", "edit_distance")
_FIELDS = ("title", "date", "authors")
_GROUP_ROWS = 25  # shown at once; the rest unfolds


def write_overall(digest: Digest) -> str:
    """All methods: quality with its interval, the other measures, the costs."""
    leading = digest.leading
    if leading is None:
        return ""
    shown = [MEASURES[name] for name in (*_BESIDE, *_FIELDS) if any(name in each.figures for each in digest.standings)]
    shown = [measure for measure in shown if measure != leading]
    spans = [each.figures[leading.name] for each in digest.standings if leading.name in each.figures]
    low, high = min(found.low for found in spans), max(found.high for found in spans)
    head = "".join(f'<th class="num" title="{escape(measure.about)}">{escape(measure.label)}</th>' for measure in shown)
    rows = []
    for standing in digest.standings:
        found = standing.figures.get(leading.name)
        cells = "".join(_write_cell(measure, standing, digest) for measure in shown)
        rows.append(
            f'<tr class="{standing.kind}"><th scope="row">{escape(standing.name)}'
            f"<small>{_version(standing)}</small></th>"
            + (
                f'<td class="num main">{found.value:.3f}<small>{found.low:.3f}–{found.high:.3f}</small></td>'
                f"<td>{draw_whisker(found, low, high)}</td>"
                if found
                else "<td></td><td></td>"
            )
            + cells
            + _write_costs(standing)
            + "</tr>"
        )
    return (
        f'<div class="scroll"><table class="overall"><thead><tr><th>Method</th>'
        f'<th class="num" title="{escape(leading.about)}">{escape(leading.label)}</th><th>95 % interval</th>{head}'
        '<th class="num" title="median">ms</th><th class="num" title="95th percentile">ms p95</th>'
        '<th class="num" title="peak of resident memory">MB</th><th class="num">failed</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{_write_all_measures(digest)}"
    )


def _version(standing: Standing) -> str:
    return escape(standing.version) if standing.is_peer else "Broadsheet"


def _write_cell(measure: Measure, standing: Standing, digest: Digest) -> str:
    found = standing.figures.get(measure.name)
    if found is None:
        return '<td class="num none">–</td>'
    pick = min if measure.is_lower_better else max
    best = pick(each.figures[measure.name].value for each in digest.standings if measure.name in each.figures)
    mark = " best" if found.value == best else ""
    return f'<td class="num{mark}" title="{_interval(found, measure)}">{_number(found.value, measure)}</td>'


def _number(value: float, measure: Measure) -> str:
    return f"{value:,.0f}" if measure.is_lower_better else f"{value:.3f}"


def _interval(found: Estimate, measure: Measure) -> str:
    return f"{_number(found.low, measure)} to {_number(found.high, measure)}, {found.pages} pages"


def _write_costs(standing: Standing) -> str:
    speed = standing.speed
    cells = (
        f"{speed.median:.1f}" if speed else "–",
        f"{speed.p95:.1f}" if speed else "–",
        f"{standing.memory:.0f}" if standing.memory else "–",
        str(sum(standing.failures.values()) or "–"),
    )
    return "".join(f'<td class="num">{cell}</td>' for cell in cells)


def _write_all_measures(digest: Digest) -> str:
    shown = [measure for name, measure in MEASURES.items() if any(name in each.figures for each in digest.standings)]
    head = "".join(f'<th class="num">{escape(each.name)}</th>' for each in digest.standings)
    rows = []
    for measure in shown:
        cells = "".join(_write_full_cell(measure, each) for each in digest.standings)
        rows.append(
            f'<tr><th scope="row">{escape(measure.label)}<small>{escape(measure.about)}</small></th>{cells}</tr>'
        )
    return (
        '<details class="more"><summary>All measures with their intervals</summary><div class="scroll"><table>'
        f"<thead><tr><th>Measure</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def _write_full_cell(measure: Measure, standing: Standing) -> str:
    found = standing.figures.get(measure.name)
    if found is None:
        return '<td class="num none">–</td>'
    value, low, high = (_number(number, measure) for number in (found.value, found.low, found.high))
    return f'<td class="num">{value}<small>{low}–{high}</small></td>'


def write_matches(digest: Digest) -> str:
    """Every method against every other."""
    if not digest.matches or digest.leading is None:
        return ""
    names = [each.name for each in digest.standings]
    found = {(match.ours, match.theirs): match for match in digest.matches}
    head = "".join(f'<th class="num">{escape(name)}</th>' for name in names[1:])
    rows = []
    for at, ours in enumerate(names[:-1]):
        cells = ['<td class="void"></td>'] * at
        cells += [_write_match(found.get((ours, theirs))) for theirs in names[at + 1 :]]
        rows.append(f'<tr><th scope="row">{escape(ours)}</th>{"".join(cells)}</tr>')
    return (
        f"<p>Row minus column, {escape(digest.leading.name_in_text)}, on the same pages. Filled: beyond chance "
        "(p&nbsp;&lt;&nbsp;0.05, approximate randomisation). Outlined: could be noise.</p>"
        f'<div class="scroll"><table class="matrix"><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _write_match(match: Match | None) -> str:
    if match is None:
        return '<td class="num none">–</td>'
    gap = match.difference
    state = "real" if gap.is_significant else "noise"
    tip = f"{gap.low:+.3f} to {gap.high:+.3f}, p = {gap.p_value:.3f}, {gap.pages} pages"
    return f'<td class="num"><span class="gap {state}" title="{tip}">{gap.value:+.3f}</span></td>'


def write_groups(digest: Digest) -> str:
    """Quality by dataset, language, site and year: a tab for each that has more than one."""
    tabs, panels = [], []
    for name, groups in digest.groups.items():
        if len(groups) > 1 or (name == "dataset" and groups):
            tabs.append(f'<button type="button" data-tab="group-{name}">By {name}</button>')
            panels.append(f'<div class="panel" id="group-{name}">{_write_group_table(name, groups, digest)}</div>')
    if not tabs or digest.leading is None:
        return ""
    return (
        f"<p>{escape(digest.leading.label)} of every method; the darker, the better; bold is the best of its row.</p>"
        f'<div class="tabs">{"".join(tabs)}</div>{"".join(panels)}'
    )


def _write_group_table(name: str, groups: Sequence[Group], digest: Digest) -> str:
    names = [each.name for each in digest.standings]
    head = "".join(f'<th class="num">{escape(each)}</th>' for each in names)
    rows = [_write_group_row(group, names) for group in groups]
    table = (
        f'<div class="scroll"><table class="heat"><thead><tr><th>{escape(name.title())}</th>'
        f'<th class="num">pages</th>{head}'
        "</tr></thead><tbody>{}</tbody></table></div>"
    )
    html = table.format("".join(rows[:_GROUP_ROWS]))
    if rest := rows[_GROUP_ROWS:]:
        html += f'<details class="more"><summary>{len(rest)} more</summary>{table.format("".join(rest))}</details>'
    return html


def _write_group_row(group: Group, names: Sequence[str]) -> str:
    values = [found.value for found in group.figures.values()]
    best = max(values, default=0.0)
    cells = []
    for name in names:
        found = group.figures.get(name)
        if found is None:
            cells.append('<td class="num none">–</td>')
            continue
        # Between 0.5 and 1 is where extractors differ; below, all is equally bad.
        heat = round(max(0.0, found.value - 0.5) * 2, 3)
        mark = " best" if found.value == best else ""
        tip = (
            f"{found.low:.3f} to {found.high:.3f}, {found.pages} pages"
            if found.high > found.low
            else f"{found.pages} pages"
        )
        cells.append(f'<td class="num heat{mark}" style="--heat:{heat}" title="{tip}">{found.value:.3f}</td>')
    return f'<tr><th scope="row">{escape(group.name)}</th><td class="num">{group.pages}</td>{"".join(cells)}</tr>'
