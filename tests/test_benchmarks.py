"""The benchmarks start as scripts and as modules. What most of them measure needs the labelled pages, which users do not have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

pytest.importorskip("benchmarks", reason="the benchmarks are not in the source distribution")

from benchmarks.harness import find_exponent
from benchmarks.instructions import compare_counts, describe_platform
from benchmarks.same import find_change
from benchmarks.sample_pages import make_page, make_pages
from benchmarks.speed_chart import draw_speeds
from benchmarks.speed_docs import CHART, DOCUMENTS, write_documents, write_sentence
from benchmarks.speed_parts import PARTS, open_broadsheet
from benchmarks.speed_peers import WARM_UP_PAGE, make_timer

import broadsheet

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "program", [["benchmarks/fusion.py"], ["-m", "benchmarks.fusion"], ["benchmarks/speed.py"]], ids=" ".join
)
def test_a_benchmark_starts(program: list[str]) -> None:
    result = subprocess.run([sys.executable, *program, "--help"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "peers" in result.stdout or "trafilatura" in result.stdout


def test_sample_pages_are_those_of_a_news_site() -> None:
    pages = make_pages(30)
    assert pages[7] == make_page(7)
    assert 70_000 < mean(map(len, pages)) < 90_000
    article = broadsheet.extract(pages[0])
    assert article.status == "ok"
    assert all((article.title, article.authors, article.date, article.images))


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ({"a": [1, "x"]}, {"a": [1, "x"]}, ""),
        ({"a": [0.5]}, {"a": [0.500001]}, ""),
        ({"a": [0.5]}, {"a": [0.51]}, "a[0]: 0.5 -> 0.51"),
        ({"a": {"b": "same text"}}, {"a": {"b": "same word"}}, "a.b: 'same text' -> 'same word'"),
        ({"a": [1]}, {"a": [1, 2]}, "a: [1] -> [1, 2]"),
        ({"a": 1}, {"a": 1, "b": 2}, "b: None -> 2"),
    ],
)
def test_a_change_of_the_output_is_named(before: dict[str, Any], after: dict[str, Any], change: str) -> None:
    description = find_change(before, after, "", 1e-5)
    assert description.partition(" (from")[0] == change


def test_the_exponent_of_growth() -> None:
    assert find_exponent([1, 2, 4], [3, 12, 48]) == pytest.approx(2)


@pytest.mark.parametrize(("count", "code"), [(1000, 0), (1049, 0), (1051, 1), (900, 0)])
def test_more_instructions_than_accepted_are_an_error(count: int, code: int) -> None:
    assert compare_counts({"text only": count}, {"made_with": describe_platform(), "text only": 1000}) == code


def test_instructions_of_another_python_are_not_compared() -> None:
    assert compare_counts({"text only": 2000}, {"made_with": "Python 2.7", "text only": 1000}) == 0


@pytest.mark.parametrize("columns", PARTS.values(), ids=PARTS)
def test_parts_are_extracted(columns: tuple[str, ...]) -> None:
    extract = open_broadsheet(columns)
    assert extract(*WARM_UP_PAGE)
    assert len(make_timer(extract)([WARM_UP_PAGE] * 2)) == 2


def test_chart() -> None:
    chart = draw_speeds({"text only": {"broadsheet": 1.0, "peer": 2.0}, "all fields": {"broadsheet": 4.0}})
    assert chart.count("<rect") == 3
    assert ">1,000<" in chart


def test_results_are_written_into_documents(tmp_path: Path) -> None:
    for name in (*DOCUMENTS, CHART):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    names = ("all pages", "sizes", "start")
    parts = {name: f"| table of {name} |" for name in names} | {"sentence": write_sentence(505, 12.3, 21.0, 1.05)}
    write_documents(parts, "<svg/>", tmp_path)
    readme, page = ((tmp_path / name).read_text("utf-8") for name in DOCUMENTS)
    assert "all fields is 12.3 times as fast" in readme
    assert all(page.count(parts[name]) == 1 for name in names)
    assert "10.6" not in readme + page
    assert (tmp_path / CHART).read_text() == "<svg/>"
