"""The reference figures of the labelled pages: peers must score here what their table says."""

from __future__ import annotations

from pathlib import Path

import pytest

from broadsheet.evaluation.cache_folder import find_cache_folder
from broadsheet.evaluation.contenders import find_contenders
from broadsheet.evaluation.intervals import estimate
from broadsheet.evaluation.report.digest import columns_of
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store
from broadsheet.evaluation.summary import MEASURES

pytestmark = pytest.mark.data

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


@pytest.mark.parametrize("name", FIGURES)
def test_reference_figures(name: str) -> None:
    """Slow the first time (cleaneval takes minutes), quick with the user's cache afterwards."""
    path = DATA / f"{name}.bench.jsonl.xz"
    if not path.exists():
        pytest.skip("../shared/data is not there")
    lineup = find_contenders([], list(PEERS))
    found = {
        contender.name: expected
        for contender in lineup.contenders
        for peer, expected in zip(PEERS, FIGURES[name], strict=True)
        if peer == contender.name and contender.version.startswith(PEERS[peer])
    }
    if not found:
        pytest.skip("no peer of the versions that the figures are for is installed: pip install 'broadsheet[eval]'")
    lineup = find_contenders([], list(found))
    with open_store(find_cache_folder() / "eval") as store:
        results = run_evaluation([path], lineup, store, RunOptions(with_memory=False))
    for peer, expected in found.items():
        for measure, figure in zip(("shingle_f1", "word_f1"), expected, strict=True):
            value = estimate(MEASURES[measure], columns_of(results, peer), rounds=0)
            assert value is not None
            assert value.value == pytest.approx(figure, abs=0.005), (peer, measure)
