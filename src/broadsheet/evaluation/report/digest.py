"""Results to Digest: every figure that a report shows, computed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.intervals import Difference, Estimate, compare, estimate
from broadsheet.evaluation.measures.calibration import Calibration, measure_calibration
from broadsheet.evaluation.measures.overlap import harmonic_mean
from broadsheet.evaluation.measures.speed import Speed, measure_speed
from broadsheet.evaluation.mistakes import EXTRA, KINDS, MISSED
from broadsheet.evaluation.results import PageResult, Results, Row
from broadsheet.evaluation.summary import LEADING, MEASURES, Measure

BINS = 20  # of the distribution of pages


@dataclass(frozen=True, slots=True)
class Standing:
    """How one contender did on all pages."""

    name: str
    version: str
    is_peer: bool
    figures: Mapping[str, Estimate]  # by measure
    speed: Speed | None
    memory: float | None  # peak MB
    failures: Mapping[str, int]  # error -> pages
    calibration: Calibration | None
    spread: tuple[int, ...]  # pages by quality, from 0 to 1 in BINS steps
    mistakes: Mapping[str, Mapping[str, int]]  # "missed" or "extra" -> kind -> words

    @property
    def kind(self) -> str:
        """Whose it is, as the style sheet calls it."""
        return "peer" if self.is_peer else "own"


@dataclass(frozen=True, slots=True)
class Match:
    """Two contenders beside each other."""

    ours: str
    theirs: str
    difference: Difference


@dataclass(frozen=True, slots=True)
class Group:
    """Pages that have something in common."""

    name: str
    pages: int
    figures: Mapping[str, Estimate]  # by contender


@dataclass(frozen=True, slots=True)
class Digest:
    """All figures of a report."""

    leading: Measure | None  # None: the pages have no labels that any contender could be held to
    pages: int
    datasets: Mapping[str, int]
    standings: tuple[Standing, ...]  # the best first
    matches: tuple[Match, ...]
    groups: Mapping[str, tuple[Group, ...]]  # "dataset", "language", "site", "year"
    missing: tuple[str, ...]
    unscored: tuple[str, ...]
    is_timed_together: bool  # False: some times come from another run than others, and do not compare well


_GROUPINGS: Mapping[str, Callable[[PageResult], object]] = {
    "dataset": lambda page: page.dataset or None,
    "language": lambda page: page.lang,
    "site": lambda page: page.site,
    "year": lambda page: page.year,
}


def digest_results(results: Results) -> Digest:
    """Compute everything that a report shows."""
    leading = _find_leading(results)
    standings = [_stand(results, contender) for contender in results.contenders]
    if leading:
        standings.sort(key=lambda standing: _rank(standing, leading))
    order = [standing.name for standing in standings]
    datasets: dict[str, int] = defaultdict(int)
    for page in results.pages:
        datasets[page.dataset] += 1
    return Digest(
        leading=leading,
        pages=len(results.pages),
        datasets=dict(datasets),
        standings=tuple(standings),
        matches=tuple(_match(results, order, leading)) if leading else (),
        groups={name: _group(results, key, leading) for name, key in _GROUPINGS.items()} if leading else {},
        missing=results.missing,
        unscored=results.unscored,
        is_timed_together=all(len({row.run for row in page.rows.values()}) <= 1 for page in results.pages),
    )


def page_quality(row: Row) -> float | None:
    """How well a contender did on a page, 0 to 1, by the best label that the page has."""
    columns = row.columns
    if "shingle_precision" in columns:
        return harmonic_mean(columns["shingle_precision"], columns["shingle_recall"])
    if "snippet_right" in columns:
        good = columns["snippet_right"] + columns["snippet_left_out"]
        return good / max(good + columns["snippet_extra"] + columns["snippet_missed"], 1)
    return next((columns[name] for name in ("date", "title", "authors") if name in columns), None)


def columns_of(results: Results, name: str) -> list[Mapping[str, float]]:
    """The columns of one contender, a page each."""
    return [page.rows[name].columns for page in results.pages]


def _find_leading(results: Results) -> Measure | None:
    """The first measure that at least half of the contenders have (a date finder has no texts)."""
    for name in LEADING:
        able = sum(
            any(MEASURES[name].columns[0] in row for row in columns_of(results, contender))
            for contender in results.names
        )
        if able * 2 >= len(results.names) and able:
            return MEASURES[name]
    return None


def _rank(standing: Standing, leading: Measure) -> float:
    found = standing.figures.get(leading.name)
    if found is None:
        return float("inf")
    return found.value if leading.is_lower_better else -found.value


def _stand(results: Results, contender: Contender) -> Standing:
    rows = [page.rows[contender.name] for page in results.pages]
    columns = [row.columns for row in rows]
    figures = {name: found for name, measure in MEASURES.items() if (found := estimate(measure, columns))}
    failures: dict[str, int] = defaultdict(int)
    for row in rows:
        if row.error:
            failures[row.error.partition(":")[0]] += 1
    sure = [row for row in columns if "confidence" in row and "word_f1" in row]
    return Standing(
        name=contender.name,
        version=contender.version,
        is_peer=contender.is_peer,
        figures=figures,
        speed=measure_speed([row.seconds for row in rows]),
        memory=(results.memory or {}).get(contender.name),
        failures=dict(failures),
        calibration=measure_calibration([row["confidence"] for row in sure], [row["word_f1"] for row in sure]),
        spread=_spread([quality for row in rows if (quality := page_quality(row)) is not None]),
        mistakes=_add_mistakes(rows),
    )


def _spread(qualities: Sequence[float]) -> tuple[int, ...]:
    counts = [0] * BINS
    for quality in qualities:
        counts[min(int(quality * BINS), BINS - 1)] += 1
    return tuple(counts)


def _add_mistakes(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    words: dict[str, dict[str, int]] = {error: dict.fromkeys(KINDS, 0) for error in (MISSED, EXTRA)}
    for row in rows:
        for name, count in row.mistakes.items():
            error, _, kind = name.partition(" ")
            words[error][kind] += count
    return {error: {kind: count for kind, count in kinds.items() if count} for error, kinds in words.items()}


def _match(results: Results, order: Sequence[str], leading: Measure) -> list[Match]:
    found = []
    for at, ours in enumerate(order):
        for theirs in order[at + 1 :]:
            difference = compare(leading, columns_of(results, ours), columns_of(results, theirs))
            if difference:
                found.append(Match(ours, theirs, difference))
    return found


def _group(results: Results, key: Callable[[PageResult], object], leading: Measure | None) -> tuple[Group, ...]:
    pages: dict[str, list[PageResult]] = defaultdict(list)
    for page in results.pages:
        if (value := key(page)) is not None:
            pages[str(value)].append(page)
    return tuple(
        Group(name, len(members), _figures(members, results.names, leading))
        for name, members in sorted(pages.items(), key=lambda item: (-len(item[1]), item[0]))
    )


def _figures(pages: Sequence[PageResult], names: Sequence[str], leading: Measure | None) -> dict[str, Estimate]:
    if leading is None:
        return {}
    found: dict[str, Estimate] = {}
    for name in names:
        # Intervals of a handful of pages say nothing, and there may be thousands of sites.
        rounds = 300 if len(pages) >= 20 else 0
        if value := estimate(leading, [page.rows[name].columns for page in pages], rounds=rounds):
            found[name] = value
    return found
