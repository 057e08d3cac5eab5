"""The examples for Spark, daft and Ray Data, with the real packages: one row for each page."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.batch.archives import make_page, name_address, write_warc

import broadsheet

EXAMPLES = Path(__file__).parents[2] / "examples" / "engines"
PAGES = 12
ENGINES = [
    pytest.param("spark", "pyspark", marks=pytest.mark.engines),
    pytest.param("daft", "daft", marks=pytest.mark.engines),
    pytest.param("ray", "ray", marks=pytest.mark.ray),
]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Two files of pages; the last row has no page."""
    folder = tmp_path / "pages"
    folder.mkdir()
    html = [make_page(number).decode() for number in range(PAGES - 1)] + [None]
    table = pa.table({"html": html, "url": list(map(name_address, range(PAGES))), "key": range(PAGES)})
    pq.write_table(table.slice(0, 5), folder / "0.parquet")
    pq.write_table(table.slice(5), folder / "1.parquet")
    return folder


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """Temporary files of the engines are in a folder with a short name: Ray's paths of sockets must be short."""
    folder = tempfile.mkdtemp(prefix="bs-")
    yield {
        **os.environ,
        "HOME": folder,
        "TMPDIR": folder,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_DIRS": folder,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "DAFT_ANALYTICS_ENABLED": "0",
        "DO_NOT_TRACK": "true",
        "RAY_ADDRESS": "local",
        "RAY_TMPDIR": folder,
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize(("engine", "package"), ENGINES)
def test_example(engine: str, package: str, pages: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    if engine == "spark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    out = tmp_path / "articles"
    command = [sys.executable, str(EXAMPLES / f"{engine}_articles.py"), str(pages), str(out)]
    result = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=1000, check=False
    )
    assert result.returncode == 0, result.stderr[-3000:]
    tables = [pq.ParquetFile(path).read() for path in out.rglob("*.parquet")]
    rows = sorted((row for table in tables for row in table.to_pylist()), key=lambda row: row["key"])
    assert [row["key"] for row in rows] == list(range(PAGES))
    assert [row["url"] for row in rows] == list(map(name_address, range(PAGES)))
    assert [row["status"] for row in rows] == ["ok"] * (PAGES - 1) + ["failed"]
    article = broadsheet.extract(make_page(3).decode(), name_address(3))
    assert (rows[3]["title"], rows[3]["text"]) == (article.title, article.text)


@pytest.mark.engines
def test_archives_in_spark(tmp_path: Path, environment: dict[str, str]) -> None:
    if find_spec("pyspark") is None or shutil.which("java") is None:
        pytest.skip("Spark is not installed")
    for number in range(2):
        write_warc(tmp_path / "warc" / f"{number}.warc.gz", range(6 * number, 6 * number + 6))
    command = [sys.executable, str(EXAMPLES / "spark_warc.py"), f"{tmp_path}/warc/*.gz", str(tmp_path / "articles")]
    result = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=1000, check=False
    )
    assert result.returncode == 0, result.stderr[-3000:]
    rows = [row for path in (tmp_path / "articles").glob("*.parquet") for row in pq.read_table(path).to_pylist()]
    assert sorted(row["url"] for row in rows) == sorted(map(name_address, range(PAGES)))
    assert len({(row["file"], row["offset"]) for row in rows}) == PAGES
