from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console
from tests.evaluation.peer_programs import DIES_ON_PAGES, make_peer

from broadsheet.evaluation.contenders import Lineup, find_contenders
from broadsheet.evaluation.figures import Results
from broadsheet.evaluation.report.as_html import write_html
from broadsheet.evaluation.report.pages import WorstPage, view_worst_pages
from broadsheet.evaluation.report.summary import Summary, summarise_results
from broadsheet.evaluation.report.write import print_report, write_json
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store


@dataclass(frozen=True)
class Run:
    results: Results
    summary: Summary
    views: tuple[WorstPage, ...]


@pytest.fixture(scope="module")
def run(
    tmp_path_factory: pytest.TempPathFactory, write_records: Callable[[Path, Sequence[int]], Path]
) -> Iterator[Run]:
    path = write_records(tmp_path_factory.mktemp("corpus") / "harbours.jsonl", range(6))
    installed = find_contenders(["twcem"], ["turbohtml"])
    broken = make_peer(path.parent, DIES_ON_PAGES, name="broken")
    lineup = Lineup((*installed.contenders, broken), ("goose3 is not installed",))
    with open_store(None) as store:
        results = run_evaluation([path], lineup, store, RunOptions(workers=1, with_memory=False))
        yield Run(results, summarise_results(results), view_worst_pages(results, store))


def test_contenders_are_sorted_by_quality(run: Run) -> None:
    values = [standing.figures["shingle_f1"].value for standing in run.summary.standings]
    assert values == sorted(values, reverse=True)
    assert {standing.name for standing in run.summary.standings} == {"twcem", "turbohtml", "broken"}
    assert run.summary.standings[-1].name == "broken"
    assert sum(run.summary.standings[-1].failures.values()) == 6
    assert len(run.summary.comparisons) == 3


def test_groups_cover_all_pages(run: Run) -> None:
    assert {name: [(group.name, group.pages) for group in groups] for name, groups in run.summary.groups.items()} == {
        "dataset": [("harbours", 6)],
        "language": [("en", 6)],
        "site": [("site0.example", 3), ("site1.example", 3)],
        "year": [("2000", 2), ("2001", 2), ("2002", 2)],
    }


def test_histograms_and_errors_add_up(run: Run) -> None:
    for standing in run.summary.standings:
        assert sum(standing.quality_histogram) == 6
    assert run.summary.standings[-1].error_words["extra"] == {}
    assert sum(run.summary.standings[-1].error_words["missed"].values()) > 200


def test_views_mark_errors(run: Run) -> None:
    broken = [view for view in run.views if view.contender == "broken"]
    assert len(broken) == 6
    assert all(line.state == "missed" for view in broken for line in view.gold)
    for view in run.views:
        states = [line.state for line in view.blocks]
        assert "headline" in states
        assert set(states) <= {"right", "missed", "extra", "left_out", "headline"}
        assert all(line.kind for line in view.blocks if line.state in {"missed", "extra"})


def test_html_has_all_sections_and_loads_nothing(run: Run) -> None:
    html = write_html(run.summary, run.views)
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!#)|url\(|@import|<link|<img|<iframe""", html)
    for part in ("overall", "speed", "significance", "groups", "distribution", "errors", "pages", "notes"):
        assert f'id="{part}"' in html
    assert "goose3 is not installed" in html
    assert "broken failed on 6 pages" in html
    assert html.count("<section") == html.count("</section>")
    assert html.count("<details") == html.count("</details>")


def test_texts_of_pages_are_escaped(run: Run) -> None:
    html = write_html(run.summary, run.views)
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_json_has_all_figures_and_no_text(run: Run) -> None:
    text = write_json(run.summary, run.results)
    values = json.loads(text)
    assert values["measure"] == "shingle_f1"
    assert len(values["methods"]) == 3
    assert len(values["per_page"]) == 6
    assert values["per_page"][0]["scores"]["twcem"]["word_f1"] > 0
    assert "harbour of Westport" not in text


@pytest.mark.parametrize("width", [80, 200])
def test_terminal(run: Run, width: int) -> None:
    out = io.StringIO()
    print_report(run.summary, Console(file=out, width=width))
    text = out.getvalue()
    assert "harbours (6)" in text
    assert re.search(r"twcem\s+[01]\.\d{3} ±", text)
    assert "goose3 is not installed" in text
    assert max(map(len, text.splitlines())) <= width


def test_a_report_on_pages_without_labels(tmp_path: Path) -> None:
    (tmp_path / "bare.jsonl").write_text(json.dumps({"html": "<p>Text.</p>", "id": "a"}))
    with open_store(None) as store:
        lineup = find_contenders(["twcem"], [])
        results = run_evaluation([tmp_path / "bare.jsonl"], lineup, store, RunOptions(workers=1, with_memory=False))
        summary = summarise_results(results)
        assert summary.main_measure is None
        assert "nothing to compare" in write_html(summary, view_worst_pages(results, store))
        print_report(summary, Console(file=io.StringIO()))
