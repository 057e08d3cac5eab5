"""The Ray engine gives the rows of the local engine, and survives the loss of a node."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.batch.archives import OnPage, list_addresses, name_address, read_rows, write_warc

from broadsheet.batch import BatchOptions, BatchRequest, BatchResult, find_sources, run_batch
from broadsheet.options import ExtractOptions

ray = pytest.importorskip("ray")
pytestmark = [
    pytest.mark.ray,
    pytest.mark.filterwarnings("ignore"),  # of Ray itself
]
NUMBERS = range(40)
MANY = 1_600
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def request_of_warcs(tmp_path: Path) -> BatchRequest:
    for number in range(4):
        write_warc(tmp_path / "warc" / f"{number}.warc.gz", NUMBERS[number * 10 : number * 10 + 10])
    return BatchRequest(find_sources([f"{tmp_path}/warc/*.gz"]), str(tmp_path / "local"), workers=2)


def test_the_same_rows(tmp_path: Path) -> None:
    """1,600 pages in four archives: parts and rows are equal, byte for byte."""
    for number in range(4):
        write_warc(tmp_path / "warc" / f"{number}.warc.gz", range(MANY)[number::4])
    request = BatchRequest(find_sources([f"{tmp_path}/warc/*.gz"]), str(tmp_path / "local"), workers=2)
    run_batch(request)
    result = run_batch(replace(request, engine="ray", output=str(tmp_path / "ray")))
    assert result.is_complete
    assert not ray.is_initialized()
    rows = read_rows(tmp_path / "local")
    assert len(rows) == MANY
    assert rows == read_rows(tmp_path / "ray")
    local, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name).glob("*.parquet")} for name in ("local", "ray")
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
    monkeypatch.setenv("RAY_TMPDIR", folder)
    (Path(folder) / "ray").mkdir()  # Cluster writes its address there
    arguments = {"num_cpus": 1, "include_dashboard": False, "temp_dir": folder}
    cluster = Cluster(initialize_head=True, head_node_args=arguments)
    try:
        node = cluster.add_node(num_cpus=1)
        running: list[int] = []  # parts in progress when the node was removed
        ray.init(address=cluster.address, log_to_driver=False)
        out = tmp_path / "local"

        def remove_node() -> None:
            deadline = time.monotonic() + 900
            while (count := len(list((out / "_tmp").glob("*")))) < 2 and time.monotonic() < deadline:
                time.sleep(0.02)
            running.append(count)
            cluster.remove_node(node, allow_graceful=False)

        killer = threading.Thread(target=remove_node)
        killer.start()
        options = BatchOptions(extract=ExtractOptions(method=OnPage("sleep", "")))
        request = replace(request_of_warcs, engine="ray", options=options)
        result = run_batch(request)
        killer.join()
        assert running == [2]  # one on each node
        if result.failures:  # resume
            result = run_batch(request)
        assert result.is_complete
        assert list_addresses(out) == sorted(map(name_address, NUMBERS))
    finally:
        ray.shutdown()
        cluster.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def test_the_window_follows_the_cluster(
    request_of_warcs: BatchRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cluster that starts without any core: nodes are added during the run, and one is removed."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_AUTH_TOKEN", os.environ.get("RAY_AUTH_TOKEN", "0" * 64))
    folder = tempfile.mkdtemp(prefix="bs-ray-")
    monkeypatch.setenv("RAY_TMPDIR", folder)
    (Path(folder) / "ray").mkdir()
    arguments = {"num_cpus": 0, "include_dashboard": False, "temp_dir": folder}
    cluster = Cluster(initialize_head=True, head_node_args=arguments)
    for number in range(12):
        write_warc(tmp_path / "warc" / f"{number}.warc.gz", [number])
    out, most = tmp_path / "local", [0]
    try:
        ray.init(address=cluster.address, log_to_driver=False)

        def count_parts() -> int:
            most[0] = max(most[0], len(list((out / "_tmp").glob("*"))))
            return most[0]

        options = BatchOptions(extract=ExtractOptions(method=OnPage("wait", "")))
        sources = find_sources([f"{tmp_path}/warc/*.gz"])
        request = replace(request_of_warcs, sources=sources, engine="ray", options=options, workers=None)
        results: list[BatchResult] = []
        runner = threading.Thread(target=lambda: results.append(run_batch(request)))
        runner.start()
        nodes = [cluster.add_node(num_cpus=3), cluster.add_node(num_cpus=2)]  # Ray adds nodes in the main thread only
        while count_parts() < 5 and runner.is_alive():
            time.sleep(0.02)
        cluster.remove_node(nodes[1], allow_graceful=False)
        runner.join()
        (result,) = results
        assert most[0] >= 5  # as many as the cluster has cores, which had none at the start
        if result.failures:  # resume
            result = run_batch(request)
        assert result.is_complete
        assert list_addresses(out) == sorted(map(name_address, range(12)))
    finally:
        ray.shutdown()
        cluster.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def test_cluster_example() -> None:
    """Ray accepts the configuration, and its image has the version of Ray that the tests run."""
    import yaml
    from ray.autoscaler._private.util import prepare_config, validate_config

    config = yaml.safe_load((EXAMPLES / "cluster" / "cluster.yaml").read_text())
    validate_config(prepare_config(config))
    assert f"rayproject/ray:{ray.__version__}-" in (EXAMPLES / "cluster" / "Dockerfile").read_text()
