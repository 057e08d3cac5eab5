"""The figures of the HTML report: speed, distribution, kinds of mistakes, confidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from broadsheet.evaluation.mistakes import EXTRA, KINDS, MISSED
from broadsheet.evaluation.report.charts import draw_calibration, draw_scatter, draw_spread
from broadsheet.evaluation.report.digest import Digest, Standing


def write_scatter(digest: Digest) -> str:
    """Quality against speed."""
    if digest.leading is None:
        return ""
    picture = draw_scatter(digest.standings, digest.leading)
    note = "Every dot is a method; the line through it is the 95 % interval. Up is better, left is faster."
    if not digest.is_timed_together:
        note += " Some times come from another run than others and do not compare well: run with --no-cache."
    return f'<figure class="wide">{picture}<figcaption>{note}</figcaption></figure>' if picture else ""


def write_spreads(digest: Digest) -> str:
    """How many pages went how well, a small picture for each method."""
    figures = [
        f'<figure class="{each.kind}"><figcaption>{escape(each.name)}</figcaption>{picture}</figure>'
        for each in digest.standings
        if (picture := draw_spread(each))
    ]
    if not figures:
        return ""
    return (
        "<p>Pages by their quality, worst on the left, flawless on the right (heights on a square-root scale, so that "
        f'the few bad pages show).</p><div class="multiples">{"".join(figures)}</div>'
    )


def write_mistakes(digest: Digest) -> str:
    """Words of wrong blocks by kind."""
    standings = [each for each in digest.standings if each.mistakes[MISSED] or each.mistakes[EXTRA]]
    if not standings:
        return ""
    most = max(count for each in standings for kinds in each.mistakes.values() for count in kinds.values())
    head = "".join(f"<th>{escape(each.name)}</th>" for each in standings)
    rows = []
    for kind in _kinds_by_size(standings):
        cells = "".join(f"<td>{_write_bars(each, kind, most)}</td>" for each in standings)
        rows.append(f'<tr><th scope="row">{escape(kind)}</th>{cells}</tr>')
    return (
        '<p>Words of wrong blocks by kind: <span class="key missed">missed</span> article text, and '
        '<span class="key extra">extra</span> text that is not the article.</p>'
        f'<div class="scroll"><table class="mistakes"><thead><tr><th>Kind</th>{head}'
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _kinds_by_size(standings: Sequence[Standing]) -> Iterator[str]:
    def size(kind: str) -> int:
        return sum(kinds.get(kind, 0) for each in standings for kinds in each.mistakes.values())

    return (kind for kind in sorted(KINDS, key=size, reverse=True) if size(kind))


def _write_bars(standing: Standing, kind: str, most: int) -> str:
    bars = []
    for error in (MISSED, EXTRA):
        count = standing.mistakes[error].get(kind, 0)
        # Square roots again: one method's flood of links must not flatten all others.
        share = (count / most) ** 0.5 * 100
        bars.append(
            f'<span class="bar {error}" title="{count:,} words {error}"><i style="width:{share:.1f}%"></i>'
            f"<b>{_short(count)}</b></span>"
        )
    return "".join(bars)


def _short(count: int) -> str:
    if count >= 10_000:
        return f"{count / 1000:.0f}k"
    return f"{count / 1000:.1f}k" if count >= 1000 else str(count or "")


def write_calibrations(digest: Digest) -> str:
    """Reliability curves of the methods that state a confidence."""
    figures = [
        f'<figure class="{each.kind}"><figcaption>{escape(each.name)} '
        f"<small>calibration error {each.calibration.error:.3f}</small></figcaption>"
        f"{draw_calibration(each.calibration)}</figure>"
        for each in digest.standings
        if each.calibration
    ]
    if not figures:
        return ""
    return (
        "<p>Pages by the confidence that the method gave them, against the word F1 that they reached. On the dashed "
        f'line, confidence is what it says.</p><div class="multiples tall">{"".join(figures)}</div>'
    )
