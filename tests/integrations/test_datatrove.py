"""A datatrove pipeline over a web archive."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.batch.archives import write_warc

pytest.importorskip("datatrove")
pytestmark = [pytest.mark.integrations, pytest.mark.filterwarnings("ignore")]


def read_lines(folder: Path) -> list[dict[str, object]]:
    texts = [gzip.decompress(path.read_bytes()).decode() for path in sorted(folder.glob("*.jsonl.gz"))]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def test_pipeline(tmp_path: Path) -> None:
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter

    from broadsheet.integrations.datatrove import ArticleExtractor, PageReader

    for number in range(2):
        write_warc(tmp_path / "warc" / f"{number}.warc.gz", range(number * 5, number * 5 + 5))
    executor = LocalPipelineExecutor(
        pipeline=[PageReader(str(tmp_path / "warc")), ArticleExtractor(), JsonlWriter(str(tmp_path / "out"))],
        tasks=2,
        workers=1,
        logging_dir=str(tmp_path / "log"),
    )
    executor.run()
    rows = read_lines(tmp_path / "out")
    assert len(rows) == 10
    for row in rows:
        assert row["text"]
        assert "<p" not in str(row["text"])
        assert row["metadata"]["title"]  # type: ignore[index]
        assert row["metadata"]["url"].startswith("http")  # type: ignore[index]
        assert row["metadata"]["status"] == "ok"  # type: ignore[index]
    stats = json.loads((tmp_path / "log" / "stats.json").read_text())
    extractor = next(step["stats"] for step in stats if "Broadsheet" in step["name"] and "EXTRAC" in step["name"])
    total = extractor["total"]
    assert (total["total"] if isinstance(total, dict) else total) == 10
    executor.run()  # finished tasks are skipped
    assert len(read_lines(tmp_path / "out")) == 10


def test_documents_without_text() -> None:
    from datatrove.data import Document

    from broadsheet.integrations.datatrove import ArticleExtractor

    extractor = ArticleExtractor(is_markdown=True, only_ok=True)
    pages = ["", "<p>No article.</p>", "<h1>T</h1>" + "<p>One sentence, and <b>another</b> one.</p>" * 9]
    documents = [Document(text=page, id=str(number)) for number, page in enumerate(pages)]
    kept = list(extractor.run(iter(documents)))
    assert all("<p>" not in document.text for document in kept)
    assert extractor.stats["total"].total == 3
    assert extractor.stats["dropped"].total >= 1


def test_remote_folders_are_refused() -> None:
    from broadsheet.errors import UsageError
    from broadsheet.integrations.datatrove import PageReader

    with pytest.raises(UsageError, match="local files only"):
        PageReader("memory://pages")
