"""Peers must reach the reference figures of the labelled pages.

The user's cache is not used, so that the current code extracts and scores. All pages of a dataset are run, because the
reference figures are for whole datasets; this takes two to five minutes, most of it for cleaneval.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from broadsheet.evaluation.contenders import Contender, Lineup, find_contenders
from broadsheet.evaluation.figures import MEASURES, Results, estimate_measure
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"
PEERS = {
    "trafilatura": "2.3.",
    "readability": "0.9",
    "resiliparse": "1.1.",
    "justext": "3.0.",
    "boilerpy3": "1.0.",
}  # with the versions that the figures are for
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
        pytest.skip("../shared/data does not exist")
    check_version(peer, find_contenders([], [peer]))
    results = run_set(name)
    assert len(results.pages) == PAGES[name]
    for measure, figure in zip(("shingle_f1", "word_f1"), FIGURES[name][list(PEERS).index(peer)], strict=True):
        estimate = estimate_measure(MEASURES[measure], results.get_columns(peer), rounds=0)
        assert estimate is not None
        assert estimate.value == pytest.approx(figure, abs=0.005), measure


@cache
def run_set(name: str) -> Results:
    """Run all peers of the right versions, once for all tests of a dataset."""
    lineup = find_contenders([], list(PEERS))
    contenders = tuple(peer for peer in lineup.contenders if peer.version.startswith(PEERS[peer.name]))
    with open_store(None) as store:
        return run_evaluation([find_path(name)], Lineup(contenders, ()), store, RunOptions(with_memory=False))


def find_path(name: str) -> Path:
    return DATA / f"{name}.bench.jsonl.xz"


def check_version(peer: str, lineup: Lineup) -> None:
    """Skip the test, with the reason, if another version of the peer is installed."""
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
    contenders = (Contender("trafilatura", version, frozenset(("text",)), is_peer=True),) if version else ()
    with pytest.raises(pytest.skip.Exception, match=reason):
        check_version("trafilatura", Lineup(contenders, ("trafilatura is not installed",)))


def test_figures_of_the_right_version_are_compared() -> None:
    check_version("trafilatura", Lineup((Contender("trafilatura", "2.3.9", frozenset(("text",)), is_peer=True),), ()))
