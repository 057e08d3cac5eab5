"""Pages that once broke a promise: small ones in found/, and large ones that are made here."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.fuzz.cases import ADDRESS
from tests.fuzz.checks import check_article
from tests.fuzz.process_limits import limit_memory
from tests.fuzz.shapes import find_shape

import broadsheet

ROOT = Path(__file__).parents[2]
FOUND = sorted((Path(__file__).parent / "found").glob("*.html"))
MAX_SECONDS = 16.0  # the slowest takes two, in plain Python; other machines are slower
MAX_EXTRA_BYTES = 500_000_000

# Each of these took seconds or gigabytes. `make fuzz` has more, with all methods.
LARGE_PAGES: tuple[tuple[str, str], ...] = (  # method, page
    ("fusion", "".join(f"<html a{number}=1>" for number in range(20_000))),
    ("twcem", "<" * 7_900_000),
    ("stadynot", f"<p><a {' '.join(f'a{number}' for number in range(16_000))}></p>" + "<p>x" * 12_000),
    ("fusion", "<p>" + "".join(f"<b id={number}><!--</b>-->" for number in range(300)) + "<p>x" * 9_000),
    ("visual", "<p>x" * 1_000_000),
    ("semtext", find_shape("tags with ten attributes").make(2_000_000)),
    ("gcn", find_shape("Thai").make(7_900_000)),
    ("gcn", find_shape("wide rows").make(2_000_000)),
)


@pytest.mark.parametrize("method", broadsheet.methods())
@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_found_pages(path: Path, method: str) -> None:
    data = path.read_bytes()
    check_article(broadsheet.extract(data, ADDRESS, method))
    check_article(broadsheet.extract(data.decode("utf-8", "surrogatepass"), ADDRESS, method))


@pytest.mark.long
def test_large_pages_take_little_time_and_memory() -> None:
    """In another process, whose memory is limited."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.fuzz.test_found"]
    answer = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("method", broadsheet.methods())
@pytest.mark.parametrize(
    "html", ["<p a\ud800=x>a, b.", "<p class=\ud800>a, b.", "<x\ud800>a, b.", "<p>\udc00a, b.", "<img \ud800=1 src=\ud800>"]
)  # fmt: skip
def test_lone_surrogates(html: str, method: str) -> None:
    check_article(broadsheet.extract(html, "https://\ud800.example/", method))


def _extract_large_pages() -> None:
    for method in broadsheet.methods():  # loads the weights
        broadsheet.extract("<title>a, b</title><p>a, b.", ADDRESS, method)
    limit_memory(MAX_EXTRA_BYTES)
    for method, html in LARGE_PAGES:
        started = time.process_time()
        broadsheet.extract(html, ADDRESS, method)
        seconds = time.process_time() - started
        assert seconds < MAX_SECONDS, f"{method} on {html[:40]!r}...: {seconds:.1f} s"


if __name__ == "__main__":
    _extract_large_pages()
