"""The reference figures of the labelled pages: peers must score here what their table says.

Nothing is taken from the user's cache: what passes here was extracted and scored by this very code. A slice of a set
could not be compared with the table, so all pages are run; all sets take two to five minutes, most of them cleaneval.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from broadsheet.evaluation.contenders import Contender, Lineup, find_contenders
from broadsheet.evaluation.intervals import estimate
from broadsheet.evaluation.report.digest import columns_of
from broadsheet.evaluation.results import Results
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store
from broadsheet.evaluation.summary import MEASURES

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"
PEERS = {
    "trafilatura": "2.3.",
    "readability": "0.9",
    "resiliparse": "1.1.",
    "justext": "3.0.",
    "boilerpy3": "1.0.",
}  # and the versions that the table was made with
# Shingle F1 and word F1 of each peer, in that order.
FIGURES = {
    "big5-13": ((0.973, 0.972), (0.975, 0.977), (0.887, 0.881), (0.854, 0.860), (0.847, 0.859)),
    "cleanportaleval": ((0.964, 0.964), (0.968, 0.967), (0.801, 0.795), (0.835, 0.841), (0.949, 0.948)),
    "dragnet": ((0.906, 0.897), (0.879, 0.882), (0.741, 0.712), (0.730, 0.717), (0.808, 0.816)),
    "cleaneval": ((0.892, 0.897), (0.898, 0.896), (0.892, 0.896), (0.877, 0.877), (0.639, 0.625)),
}
PAGES = {"big5-13": 90, "cleanportaleval": 68, "dragnet": 415, "cleaneval": 675}
SETS = ["big5-13", "cleanportaleval", "dragnet", pytest.param("cleaneval", marks=pytest.mark.slow)]


@pytest.mark.data
@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", SETS)
def test_reference_figures(name: str, peer: str) -> None:
    if not find_path(name).exists():
        pytest.skip("../shared/data is not there")
    check_version(peer, find_contenders([], [peer]))
    results = run_set(name)
    assert len(results.pages) == PAGES[name]
    for measure, figure in zip(("shingle_f1", "word_f1"), FIGURES[name][list(PEERS).index(peer)], strict=True):
        value = estimate(MEASURES[measure], columns_of(results, peer), rounds=0)
        assert value is not None
        assert value.value == pytest.approx(figure, abs=0.005), measure


@cache
def run_set(name: str) -> Results:
    """All peers of the right versions side by side, once for all tests of a set."""
    lineup = find_contenders([], list(PEERS))
    fitting = tuple(peer for peer in lineup.contenders if peer.version.startswith(PEERS[peer.name]))
    with open_store(None) as store:
        return run_evaluation([find_path(name)], Lineup(fitting, ()), store, RunOptions(with_memory=False))


def find_path(name: str) -> Path:
    return DATA / f"{name}.bench.jsonl.xz"


def check_version(peer: str, lineup: Lineup) -> None:
    """Skip, with the reason, where the figures are not for what is installed."""
    installed = lineup.contenders[0].version if lineup.contenders else None
    if installed is None:
        pytest.skip(lineup.missing[0])
    if not installed.startswith(PEERS[peer]):
        pytest.skip(f"the figures are for {peer} {PEERS[peer]}*, and {installed} is installed")


@pytest.mark.parametrize(
    ("version", "reason"),
    [("2.4.0", "and 2.4.0 is installed"), ("12.3.1", "and 12.3.1 is installed"), (None, "is not installed")],
)
def test_figures_of_other_versions_are_skipped_with_the_reason(version: str | None, reason: str) -> None:
    found = (Contender("trafilatura", version, frozenset(("text",)), is_peer=True),) if version else ()
    with pytest.raises(pytest.skip.Exception, match=reason):
        check_version("trafilatura", Lineup(found, ("trafilatura is not installed",)))


def test_figures_of_the_right_version_are_compared() -> None:
    check_version("trafilatura", Lineup((Contender("trafilatura", "2.3.9", frozenset(("text",)), is_peer=True),), ()))
