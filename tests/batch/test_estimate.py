"""The estimate of a run is close to the run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.batch.archives import FAST, make_page, write_warc

from broadsheet.batch import find_sources
from broadsheet.batch.estimate import describe_estimate, estimate_run
from broadsheet.errors import UsageError


def test_archives(tmp_path: Path) -> None:
    for number in range(5):
        write_warc(tmp_path / f"{number}.warc.gz", range(100))
    estimate = estimate_run(find_sources([f"{tmp_path}/*.gz"]).sources, FAST)
    assert (estimate.inputs, estimate.read_inputs) == (5, 5)
    assert 100 <= estimate.read_pages < 200
    assert 450 < estimate.pages.value < 550
    assert estimate.pages.low <= estimate.pages.value <= estimate.pages.high
    assert 0 < estimate.cpu_hours.value < 1
    assert "pages " in describe_estimate(estimate)


def test_a_sample(tmp_path: Path) -> None:
    """The sample is applied, and the footers of the probes are not taken for rows."""
    for number in range(5):
        write_warc(tmp_path / f"{number}.warc.gz", range(200 * number, 200 * number + 200))
    sources = find_sources([f"{tmp_path}/*.gz"]).sources
    whole = estimate_run(sources, FAST)
    sample = estimate_run(sources, replace(FAST, sample=0.2))
    assert 120 < sample.pages.value < 280
    assert sample.output_bytes.value < 0.6 * whole.output_bytes.value


def test_a_folder_of_pages(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.html").write_bytes(make_page(number))
    estimate = estimate_run(find_sources([str(tmp_path)]).sources, FAST)
    assert estimate.read_pages == 100
    assert 290 < estimate.pages.value < 310


def test_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(b"")
    with pytest.raises(UsageError, match="an estimate needs an input"):
        estimate_run(find_sources([str(tmp_path)]).sources, FAST)
