"""The output of a batch is one table for six programs, whatever else is in its folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.batch.archives import FAST, NUMBERS, write_warc

from broadsheet.batch import BatchRequest, find_sources, run_batch
from broadsheet.batch.duplicates import find_duplicates


def count_pandas(folder: str) -> int:
    import pandas as pd

    return len(pd.read_parquet(folder))


def count_pyarrow(folder: str) -> int:
    import pyarrow.dataset as ds

    return int(ds.dataset(folder).count_rows())


def count_polars(folder: str) -> int:
    polars = pytest.importorskip("polars")
    return int(polars.scan_parquet(f"{folder}/*.parquet").select(polars.len()).collect().item())


def count_duckdb(folder: str) -> int:
    duckdb = pytest.importorskip("duckdb")
    return int(duckdb.sql(f"SELECT count(*) FROM '{folder}/*.parquet'").fetchall()[0][0])


def count_spark(folder: str) -> int:
    session = pytest.importorskip("pyspark.sql").SparkSession.builder.master("local[1]").getOrCreate()
    return int(session.read.parquet(folder).count())


def count_ray(folder: str) -> int:
    data = pytest.importorskip("ray.data")
    return int(data.read_parquet(f"{folder}/").count())


READERS = [
    count_pandas,
    count_pyarrow,
    count_polars,
    count_duckdb,
    pytest.param(count_spark, marks=pytest.mark.engines),
    pytest.param(count_ray, marks=[pytest.mark.ray, pytest.mark.filterwarnings("ignore")]),
]


@pytest.mark.parametrize("count", READERS)
def test_readers(count: Callable[[str], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_TOKEN", os.environ.get("RAY_AUTH_TOKEN", "0" * 64))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    for number in range(2):
        write_warc(tmp_path / "warc" / f"{number}.warc.gz", NUMBERS[number * 8 : number * 8 + 8])
    out = tmp_path / "out"
    request = BatchRequest(find_sources([f"{tmp_path}/warc/*.gz"]), str(out), FAST, workers=1)
    run_batch(request)
    find_duplicates(out, out / "_duplicates" / "duplicates.parquet")
    (out / "_tmp" / "draft.parquet.1-00").write_bytes(b"PAR1 of a run that was killed")
    assert count(str(out)) == 16
    run_batch(replace(request, options=replace(FAST, include=("markdown",)), is_redo=True))
    assert count(str(out)) == 16
