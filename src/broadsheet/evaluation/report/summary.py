"""Summary: every figure that a report shows, computed once from the results, and how reports write it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.figures import (
    MAIN_MEASURES,
    MEASURES,
    Difference,
    Estimate,
    Measure,
    PageOutcome,
    PageResult,
    Results,
    compare_measure,
    estimate_measure,
)
from broadsheet.evaluation.measures import Calibration, Speed, harmonic_mean, measure_calibration, measure_speed
from broadsheet.evaluation.scores import ERROR_KINDS, EXTRA, MISSED
from broadsheet.text import format_count

HISTOGRAM_BINS = 20
# The intervals of a few pages are meaningless, and there may be thousands of sites.
MIN_INTERVAL_PAGES = 20
GROUP_ROUNDS = 300


@dataclass(frozen=True, slots=True)
class Standing:
    """The figures of one contender over all pages."""

    name: str
    version: str
    is_peer: bool
    figures: Mapping[str, Estimate]  # by measure
    speed: Speed | None
    memory: float | None  # peak MB
    failures: Mapping[str, int]  # type of error -> pages
    calibration: Calibration | None
    quality_histogram: tuple[int, ...]  # pages by quality, from 0 to 1
    error_words: Mapping[str, Mapping[str, int]]  # "missed" or "extra" -> kind -> words

    @property
    def kind(self) -> str:
        """The class of the contender in the style sheet."""
        return "peer" if self.is_peer else "method"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference between two contenders."""

    ours: str
    theirs: str
    difference: Difference


@dataclass(frozen=True, slots=True)
class PageGroup:
    """Pages of one dataset, language, site or year."""

    name: str
    pages: int
    figures: Mapping[str, Estimate]  # by contender


@dataclass(frozen=True, slots=True)
class Summary:
    """All figures of a report."""

    main_measure: Measure | None  # None: no page has labels for the fields that the contenders extract
    pages: int
    datasets: Mapping[str, int]  # pages by dataset
    standings: tuple[Standing, ...]  # the best first
    comparisons: tuple[Comparison, ...]
    groups: Mapping[str, tuple[PageGroup, ...]]  # "dataset", "language", "site", "year"
    missing: tuple[str, ...]
    unscored: tuple[str, ...]
    is_timed_together: bool  # False: the times of some pages come from different runs and are not comparable

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contenders, the best first."""
        return tuple(standing.name for standing in self.standings)

    def find_best(self, measure: Measure) -> float:
        """Return the best value of a measure among all contenders that have it."""
        values = [
            standing.figures[measure.name].value for standing in self.standings if measure.name in standing.figures
        ]
        return min(values) if measure.is_lower_better else max(values)

    def select_measures(self, names: Sequence[str]) -> list[Measure]:
        """Return the measures that at least one contender has."""
        return [MEASURES[name] for name in names if any(name in standing.figures for standing in self.standings)]


_GROUP_KEYS: Mapping[str, Callable[[PageResult], object]] = {
    "dataset": lambda page: page.dataset or None,
    "language": lambda page: page.lang,
    "site": lambda page: page.site,
    "year": lambda page: page.year,
}


def summarise_results(results: Results) -> Summary:
    """Compute all figures of a report."""
    main_measure = _find_main_measure(results)
    standings = [_make_standing(results, contender) for contender in results.contenders]
    if main_measure:
        standings.sort(key=lambda standing: _rank(standing, main_measure))
    return Summary(
        main_measure=main_measure,
        pages=len(results.pages),
        datasets=dict(Counter(page.dataset for page in results.pages)),
        standings=tuple(standings),
        comparisons=_compare_all(results, standings, main_measure) if main_measure else (),
        groups=_make_all_groups(results, main_measure) if main_measure else {},
        missing=results.missing,
        unscored=results.unscored,
        is_timed_together=all(len({outcome.run for outcome in page.outcomes.values()}) <= 1 for page in results.pages),
    )


def measure_page_quality(outcome: PageOutcome) -> float | None:
    """Return the quality of a contender on a page, 0 to 1, by the most informative label of the page."""
    columns = outcome.columns
    if "shingle_precision" in columns:
        return harmonic_mean(columns["shingle_precision"], columns["shingle_recall"])
    if "snippet_right" in columns:
        correct = columns["snippet_right"] + columns["snippet_left_out"]
        return correct / max(correct + columns["snippet_extra"] + columns["snippet_missed"], 1)
    return next((columns[name] for name in ("date", "title", "authors") if name in columns), None)


def _find_main_measure(results: Results) -> Measure | None:
    """Return the first measure that at least half of the contenders have (a date finder extracts no text)."""
    for name in MAIN_MEASURES:
        column = MEASURES[name].columns[0]
        count = sum(any(column in row for row in results.get_columns(contender)) for contender in results.names)
        if count and count * 2 >= len(results.names):
            return MEASURES[name]
    return None


def _rank(standing: Standing, measure: Measure) -> float:
    estimate = standing.figures.get(measure.name)
    if estimate is None:
        return float("inf")
    return estimate.value if measure.is_lower_better else -estimate.value


def _make_standing(results: Results, contender: Contender) -> Standing:
    outcomes = [page.outcomes[contender.name] for page in results.pages]
    columns = [outcome.columns for outcome in outcomes]
    estimates = {name: estimate_measure(measure, columns) for name, measure in MEASURES.items()}
    calibrated = [row for row in columns if "confidence" in row and "word_f1" in row]
    return Standing(
        name=contender.name,
        version=contender.version,
        is_peer=contender.is_peer,
        figures={name: estimate for name, estimate in estimates.items() if estimate},
        speed=measure_speed([outcome.seconds for outcome in outcomes]),
        memory=(results.memory or {}).get(contender.name),
        failures=dict(Counter(outcome.error.partition(":")[0] for outcome in outcomes if outcome.error)),
        calibration=measure_calibration(
            [row["confidence"] for row in calibrated], [row["word_f1"] for row in calibrated]
        ),
        quality_histogram=_make_histogram(
            [quality for outcome in outcomes if (quality := measure_page_quality(outcome)) is not None]
        ),
        error_words=_sum_error_words(outcomes),
    )


def _make_histogram(qualities: Sequence[float]) -> tuple[int, ...]:
    counts = [0] * HISTOGRAM_BINS
    for quality in qualities:
        counts[min(int(quality * HISTOGRAM_BINS), HISTOGRAM_BINS - 1)] += 1
    return tuple(counts)


def _sum_error_words(outcomes: Sequence[PageOutcome]) -> dict[str, dict[str, int]]:
    words: dict[str, dict[str, int]] = {error: dict.fromkeys(ERROR_KINDS, 0) for error in (MISSED, EXTRA)}
    for outcome in outcomes:
        for name, count in outcome.error_words.items():
            error, _, kind = name.partition(" ")
            words[error][kind] += count
    return {error: {kind: count for kind, count in kinds.items() if count} for error, kinds in words.items()}


def _compare_all(results: Results, standings: Sequence[Standing], measure: Measure) -> tuple[Comparison, ...]:
    """Compare each contender with all that follow."""
    names = [standing.name for standing in standings]
    comparisons = []
    for at, ours in enumerate(names):
        for theirs in names[at + 1 :]:
            difference = compare_measure(measure, results.get_columns(ours), results.get_columns(theirs))
            if difference:
                comparisons.append(Comparison(ours, theirs, difference))
    return tuple(comparisons)


def _make_all_groups(results: Results, measure: Measure) -> dict[str, tuple[PageGroup, ...]]:
    return {name: _make_groups(results, key, measure) for name, key in _GROUP_KEYS.items()}


def _make_groups(results: Results, key: Callable[[PageResult], object], measure: Measure) -> tuple[PageGroup, ...]:
    members: dict[str, list[PageResult]] = defaultdict(list)
    for page in results.pages:
        if (value := key(page)) is not None:
            members[str(value)].append(page)
    return tuple(
        PageGroup(name, len(pages), _estimate_group(pages, results.names, measure))
        for name, pages in sorted(members.items(), key=lambda item: (-len(item[1]), item[0]))
    )


def _estimate_group(pages: Sequence[PageResult], names: Sequence[str], measure: Measure) -> dict[str, Estimate]:
    rounds = GROUP_ROUNDS if len(pages) >= MIN_INTERVAL_PAGES else 0
    estimates = {
        name: estimate_measure(measure, [page.outcomes[name].columns for page in pages], rounds=rounds)
        for name in names
    }
    return {name: estimate for name, estimate in estimates.items() if estimate}


# Measures that tables show beside those of shingles.
TABLE_MEASURES = (
    "word_f1",
    "rouge_lsum",
    "block_f1",
    "snippet_f1",
    "edit_distance",
    "title",
    "date",
    "authors",
)
COST_LABELS = ("ms median", "ms p95", "MB", "failed")
TIMING_NOTE = (
    "Some times come from earlier runs and are not comparable; use --no-cache to time all contenders in one run."
)


def format_value(value: float, measure: Measure) -> str:
    """Return a figure with the digits that its measure needs."""
    return f"{value:,.0f}" if measure.is_lower_better else f"{value:.3f}"


def format_costs(standing: Standing) -> tuple[str, ...]:
    """Return median and 95th percentile of milliseconds, peak MB and failed pages of a contender (`COST_LABELS`)."""
    speed = standing.speed
    return (
        f"{speed.median:.1f}" if speed else "–",
        f"{speed.p95:.1f}" if speed else "–",
        f"{standing.memory:.0f}" if standing.memory else "–",
        str(sum(standing.failures.values()) or "–"),
    )


def list_notes(summary: Summary) -> list[str]:
    """Return a sentence for each contender that was skipped, each kind of failure, and pages without scores."""
    notes = list(summary.missing)
    for standing in summary.standings:
        notes += [
            f"{standing.name} failed on {format_count(count, 'page')}, which count as empty answers: {error}"
            for error, count in standing.failures.items()
        ]
    if summary.unscored:
        ids = ", ".join(summary.unscored[:10])
        notes.append(f"{format_count(len(summary.unscored), 'page')} could not be scored: {ids}")
    if not summary.is_timed_together:
        notes.append(TIMING_NOTE)
    return notes
