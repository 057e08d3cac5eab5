"""The HTML report in a real browser, opened from disk."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from broadsheet.evaluation.contenders import find_contenders
from broadsheet.evaluation.report.summary import summarise_results
from broadsheet.evaluation.report.write import write_report
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store

pytestmark = pytest.mark.browser
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, write_records: Callable[[Path, Sequence[int]], Path]) -> Path:
    folder = tmp_path_factory.mktemp("report")
    corpus = write_records(folder / "harbours.jsonl", range(6))
    with open_store(None) as store:
        lineup = find_contenders(["twcem"], ["turbohtml"])
        results = run_evaluation([corpus], lineup, store, RunOptions(workers=1, with_memory=False))
        return write_report(folder / "out", summarise_results(results), results, store)


def browse(page: Path, *options: str) -> str:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("Chromium is not installed")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars")
    profile = f"--user-data-dir={page.parent / 'profile'}"
    done = subprocess.run(
        [browser, *flags, profile, *options, page.as_uri()], capture_output=True, text=True, check=True, timeout=600
    )
    return done.stdout


def test_the_script_runs_and_tabs_show_one_panel(report: Path) -> None:
    dom = browse(report, "--virtual-time-budget=3000", "--dump-dom")
    for prefix in ("group", "worst"):
        panels = re.findall(rf'<div class="panel" id="{prefix}-[^"]+"( hidden="")?>', dom)
        assert len(panels) >= 2
        assert [bool(hidden) for hidden in panels] == [False] + [True] * (len(panels) - 1)
    assert re.search(r'<details class="page"[^>]* open=""', dom)
    assert 'aria-pressed="true"' in dom


def test_the_content_policy_allows_the_styles_of_the_report(report: Path) -> None:
    """If the browser blocked the styles, the tiles would not be a grid."""
    probe = report.with_name("probe.html")
    ask = "<script>document.title = getComputedStyle(document.querySelector('.tiles')).display</script></body>"
    probe.write_text(report.read_text("utf-8").replace("</body>", ask), "utf-8")
    assert "<title>grid</title>" in browse(probe, "--virtual-time-budget=3000", "--dump-dom")


@pytest.mark.parametrize(("width", "scheme"), [(1360, 0), (1360, 1), (400, 1)])
def test_the_report_is_not_blank(report: Path, width: int, scheme: int) -> None:
    picture = report.with_name(f"{width}-{scheme}.png")
    browse(
        report,
        f"--window-size={width},1200",
        f"--blink-settings=preferredColorScheme={scheme}",
        f"--screenshot={picture}",
    )
    assert picture.stat().st_size > 20_000  # an empty page is much smaller


def test_no_horizontal_scrolling_on_a_narrow_screen(report: Path) -> None:
    probe = report.with_name("narrow.html")
    ask = "<script>document.title = 'width ' + (document.documentElement.scrollWidth - innerWidth)</script></body>"
    probe.write_text(report.read_text("utf-8").replace("</body>", ask), "utf-8")
    dom = browse(probe, "--window-size=500,900", "--virtual-time-budget=3000", "--dump-dom")
    match = re.search(r"<title>width (-?\d+)</title>", dom)
    assert match
    assert int(match[1]) <= 0
