"""Pages on disk, for the command line to find."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

STORY = """<!doctype html><html lang=en><head><title>Ferry late again - The Courier</title>
<meta property="og:title" content="Ferry late again"><meta name=author content="Ann Reyes"></head>
<body><nav><a href=/>Home</a> <a href=/sport>Sport</a></nav>
<h1>Ferry late again</h1>
<p>The ferry to Quay Island was late again on Tuesday, for the third time this week, said the harbour master.</p>
<p>Passengers waited for the late ferry in the rain, and the café on the pier ran out of tea before noon.</p>
<footer>Imprint, privacy, contact</footer></body></html>"""
PDF = b"%PDF-1.7 nothing"


@pytest.fixture(autouse=True)
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Extract in this process where a command line does not ask for several: tests/test_many.py is about processes."""
    for module in ("many", "evaluation.runner", "batch.engines"):
        monkeypatch.setattr(f"broadsheet.{module}.count_cores", lambda: 1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two pages, one packed, a page without text, and a file that is no page; it is the current one."""
    pages = tmp_path / "pages"
    (pages / "old").mkdir(parents=True)
    (pages / "ferry.html").write_text(STORY)
    (pages / "old" / "ferry.html.gz").write_bytes(gzip.compress(STORY.encode()))
    (pages / "blank.htm").write_text("<html><body></body></html>")
    (pages / "notes.txt").write_text("not looked at")
    monkeypatch.chdir(tmp_path)
    return tmp_path
