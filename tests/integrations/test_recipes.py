"""The recipes for Celery and asyncio."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import broadsheet

EXAMPLES = Path(__file__).parents[2] / "examples"
TITLE = "Harbour ferry returns after eleven years"


def test_asyncio() -> None:
    pages = [str(path) for path in sorted((EXAMPLES / "pages").glob("*.html"))]
    command = [sys.executable, str(EXAMPLES / "asyncio_extract.py"), *pages]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    assert len(printed.splitlines()) == len(pages)
    assert TITLE in printed


@pytest.mark.integrations
@pytest.mark.filterwarnings("ignore")
def test_celery(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("celery")
    from celery.contrib.testing.worker import start_worker

    monkeypatch.setenv("BROKER", "memory://")
    recipe = runpy.run_path(str(EXAMPLES / "celery_tasks.py"), run_name="celery_tasks")
    app, task = recipe["app"], recipe["extract_page"]
    app.conf.result_backend = "cache+memory://"
    with start_worker(app, pool="solo", perform_ping_check=False):
        html = (EXAMPLES / "pages" / "harbour.html").read_text("utf-8")
        record = task.delay(html, "https://x.example/a").get(timeout=600)
    assert record["title"] == TITLE
    assert broadsheet.Article.from_dict(record).chunks(100)[2].headings == ("A battery and a grant",)
