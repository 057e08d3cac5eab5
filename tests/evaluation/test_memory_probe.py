from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.evaluation.peer_programs import make_peer

from broadsheet.corpora import Record
from broadsheet.evaluation import runner
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.runner import SAMPLE_PAGES, MemoryProbe, SamplePage
from broadsheet.evaluation.store import open_store

ANN = Contender("ann", "1", frozenset(("text",)))
RECORDS = [Record(id=f"a/{at % 20}", html=f"<p>SamplePage {at}</p>") for at in range(40)]  # ids need not be unique


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[SamplePage]]:
    """Collect the pages of every measurement. No process is started; every peak is 10 MB."""
    runs: list[Sequence[SamplePage]] = []

    def measure_peak(contender: Contender, pages: Sequence[SamplePage]) -> float:
        runs.append(pages)
        return 10.0

    monkeypatch.setattr(runner, "_measure_peak", measure_peak)
    return runs


def measure(records: list[Record], folder: Path | None = None, contender: Contender = ANN) -> dict[str, float]:
    probe = MemoryProbe()
    for record in records:
        probe.offer(record)
    with open_store(folder) as store:
        return probe.measure([contender], store)


def test_the_sample_does_not_depend_on_the_order_of_pages(measured: list[Sequence[SamplePage]]) -> None:
    measure(RECORDS)
    measure(RECORDS[::-1])
    assert measured[0] == measured[1]
    assert len(measured[0]) == SAMPLE_PAGES


def test_huge_pages_are_left_out(measured: list[Sequence[SamplePage]]) -> None:
    measure([Record(id="huge", html="x" * 1_000_001), RECORDS[0]])
    assert len(measured[0]) == 1


def test_a_peak_is_measured_once_for_a_sample_and_a_contender(
    measured: list[Sequence[SamplePage]], tmp_path: Path
) -> None:
    assert measure(RECORDS, tmp_path) == {"ann": 10.0}
    assert measure(RECORDS, tmp_path) == {"ann": 10.0}
    assert len(measured) == 1
    measure(RECORDS[:3], tmp_path)
    measure(RECORDS, tmp_path, Contender("ann", "2", frozenset(("text",))))
    assert len(measured) == 3


@pytest.mark.parametrize("program", ["", "send('ready', None)", "responses.write(b'x'); responses.flush()"])
def test_a_process_that_fails_has_no_peak(program: str, tmp_path: Path) -> None:
    assert measure(RECORDS[:1], contender=make_peer(tmp_path, program)) == {}


def test_the_peak_of_a_real_process() -> None:
    peer = Contender("turbohtml", "1", frozenset(("text",)), is_peer=True, python=Path(sys.executable))
    assert 5 < measure(RECORDS[:2], contender=peer)["turbohtml"] < 2_000
