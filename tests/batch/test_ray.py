"""The Ray engine gives the rows of the local engine, and survives the loss of a node."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.batch.archives import OnPage, list_addresses, make_page, name_address, read_rows, write_warc

from broadsheet.batch import BatchOptions, BatchRequest, find_sources, run_batch
from broadsheet.options import ExtractOptions

ray = pytest.importorskip("ray")
pytestmark = [
    pytest.mark.ray,
    pytest.mark.filterwarnings("ignore"),  # of Ray itself
]
NUMBERS = range(40)


@pytest.fixture
def request_of_warcs(tmp_path: Path) -> BatchRequest:
    for number in range(4):
        write_warc(tmp_path / "warc" / f"{number}.warc.gz", NUMBERS[number * 10 : number * 10 + 10])
    return BatchRequest(find_sources([f"{tmp_path}/warc/*.gz"]), str(tmp_path / "local"), workers=2)


def test_the_same_rows(request_of_warcs: BatchRequest, tmp_path: Path) -> None:
    run_batch(request_of_warcs)
    result = run_batch(replace(request_of_warcs, engine="ray", output=str(tmp_path / "ray")))
    assert result.is_complete
    assert not ray.is_initialized()
    assert read_rows(tmp_path / "local") == read_rows(tmp_path / "ray")
    local, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name / "parts").iterdir()} for name in ("local", "ray")
    )
    assert local == other


def test_a_killed_worker_and_a_page_that_kills(request_of_warcs: BatchRequest, tmp_path: Path) -> None:
    options = BatchOptions(extract=ExtractOptions(method=OnPage("kill", "/11")))
    run_batch(replace(request_of_warcs, engine="ray", options=options))
    rows = read_rows(tmp_path / "local")
    assert [row["url"] for row in rows if row["status"] == "failed"] == [name_address(11)]
    assert list_addresses(tmp_path / "local") == sorted(map(name_address, NUMBERS))


def test_a_lost_node(request_of_warcs: BatchRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ray.cluster_utils import Cluster

    # Ray must not write to the home folder; its paths of sockets must be short.
    monkeypatch.setenv("RAY_AUTH_TOKEN", os.environ.get("RAY_AUTH_TOKEN", "0" * 64))
    folder = tempfile.mkdtemp(prefix="bs-ray-")
    arguments = {"num_cpus": 1, "include_dashboard": False, "temp_dir": folder}
    cluster = Cluster(initialize_head=True, head_node_args=arguments)
    try:
        node = cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False)
        out = tmp_path / "local"

        def remove_node() -> None:
            deadline = time.monotonic() + 60
            while len(list((out / "_tmp").glob("*"))) < 2 and time.monotonic() < deadline:
                time.sleep(0.02)
            cluster.remove_node(node, allow_graceful=False)

        killer = threading.Thread(target=remove_node)
        killer.start()
        options = BatchOptions(extract=ExtractOptions(method=OnPage("sleep", "")))
        request = replace(request_of_warcs, engine="ray", options=options)
        result = run_batch(request)
        killer.join()
        if result.failures:  # resume
            result = run_batch(request)
        assert result.is_complete
        assert list_addresses(out) == sorted(map(name_address, NUMBERS))
    finally:
        ray.shutdown()
        cluster.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def test_ray_data(tmp_path: Path) -> None:
    """The recipe of the documentation."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from broadsheet.arrow import extract_table

    pages = pa.table(
        {"html": [make_page(number).decode() for number in range(8)], "url": list(map(name_address, range(8)))}
    )
    folder = tempfile.mkdtemp(prefix="bs-ray-")
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        _temp_dir=folder,
        runtime_env={"env_vars": environment},
    )
    try:
        dataset = ray.data.from_arrow(pages)
        dataset.map_batches(extract_table, batch_format="pyarrow", batch_size=4).write_parquet(str(tmp_path / "out"))
        table = pq.read_table(tmp_path / "out")
        assert sorted(table["url"].to_pylist()) == sorted(map(name_address, range(8)))
        assert set(table["status"].to_pylist()) == {"ok"}
    finally:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
