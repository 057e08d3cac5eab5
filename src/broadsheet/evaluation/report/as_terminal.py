"""The report for the terminal: one table, the comparisons that matter, and what went wrong."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from broadsheet.evaluation.intervals import Estimate
from broadsheet.evaluation.report.digest import Digest, Standing
from broadsheet.evaluation.summary import MEASURES, Measure

_COLUMNS = (
    "shingle_f1",
    "word_f1",
    "rouge_lsum",
    "block_f1",
    "snippet_f1",
    "edit_distance",
    "title",
    "date",
    "authors",
)

_WIDE = 150  # columns of a terminal in which all intervals have room


def print_report(digest: Digest, console: Console) -> None:
    """Print the table and the lines below it."""
    console.print(_make_table(digest, is_wide=console.width >= _WIDE))
    for line in _say_matches(digest):
        console.print(line)
    for trouble in _say_troubles(digest):
        console.print(trouble, style="dim", markup=False, highlight=False)


def _make_table(digest: Digest, *, is_wide: bool) -> Table:
    sets = ", ".join(f"{name} ({count})" if name else f"{count} pages" for name, count in digest.datasets.items())
    table = Table(
        title=f"{digest.pages} pages: {sets}",
        title_justify="left",
        title_style="bold",
        header_style="bold",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("method", no_wrap=True)
    names = _COLUMNS if is_wide else [name for name in _COLUMNS if name != "rouge_lsum"]  # it needs 90 columns without
    shown = [MEASURES[name] for name in names if any(name in each.figures for each in digest.standings)]
    for measure in shown:
        table.add_column(measure.label, justify="right", no_wrap=measure == digest.leading)
    for label in ("ms median", "ms p95", "MB", "failed"):
        table.add_column(label, justify="right")
    for standing in digest.standings:
        cells = [_show(measure, standing, digest, is_wide or measure == digest.leading) for measure in shown]
        table.add_row(_name(standing), *cells, *_costs(standing))
    return table


def _name(standing: Standing) -> Text:
    return Text(standing.name, style="" if standing.is_peer else "bold cyan")


def _show(measure: Measure, standing: Standing, digest: Digest, has_interval: bool) -> Text:
    found = standing.figures.get(measure.name)
    if found is None:
        return Text("-", style="dim")
    pick = min if measure.is_lower_better else max
    best = pick(each.figures[measure.name].value for each in digest.standings if measure.name in each.figures)
    text = Text(_number(found.value, measure), style="bold green" if found.value == best else "")
    if not has_interval:
        return text
    # Half the interval's width: "0.973 ±0.012" reads faster than two bounds; JSON and HTML have both.
    return text.append(f" ±{_number(_half(found), measure)}", style="dim")


def _half(found: Estimate) -> float:
    return (found.high - found.low) / 2


def _number(value: float, measure: Measure) -> str:
    return f"{value:.0f}" if measure.is_lower_better else f"{value:.3f}"


def _costs(standing: Standing) -> tuple[str, ...]:
    speed = standing.speed
    return (
        f"{speed.median:.1f}" if speed else "-",
        f"{speed.p95:.1f}" if speed else "-",
        f"{standing.memory:.0f}" if standing.memory else "-",
        str(sum(standing.failures.values()) or "-"),
    )


def _say_matches(digest: Digest) -> list[Text]:
    """The best against every other: is it noise?"""
    if not digest.matches or digest.leading is None:
        return []
    best = digest.standings[0].name
    lines = [Text(f"{digest.leading.label}, {best} minus ...", style="bold")]
    for match in digest.matches:
        if match.ours == best:
            gap = match.difference
            verdict = "significant" if gap.is_significant else "could be noise"
            lines.append(
                Text(f"  {match.theirs:<18} {gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]  p={gap.p_value:.3f}  ")
                + Text(verdict, style="green" if gap.is_significant else "yellow")
            )
    return lines


def _say_troubles(digest: Digest) -> list[str]:
    lines = list(digest.missing)
    for standing in digest.standings:
        for error, count in standing.failures.items():
            lines.append(
                f"{standing.name} failed on {count} page{'s' * (count != 1)}, counted as empty answers: {error}"
            )
    if digest.unscored:
        lines.append(f"{len(digest.unscored)} pages could not be scored: {', '.join(digest.unscored[:5])}")
    if not digest.is_timed_together:
        lines.append("Times come from different runs and compare badly; --no-cache runs all methods side by side.")
    return lines
