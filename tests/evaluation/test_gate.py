from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("benchmarks", reason="the benchmarks are not in the source distribution")

from benchmarks.gate import Floor, FloorResult, main, raise_floors, read_floors

ROOT = Path(__file__).parents[2]


def make_gate(path: Path, floor: float, measure: str = "word_f1") -> Path:
    row = {"file": "harbours.jsonl", "limit": 2, "method": "twcem", "measure": measure, "floor": floor}
    path.write_text(json.dumps({"floors": [row]}))
    return path


@pytest.mark.parametrize(("floor", "measure", "code"), [(0.1, "word_f1", 0), (1.01, "word_f1", 1), (0.0, "date", 1)])
def test_exit_code_of_the_gate(
    floor: float, measure: str, code: int, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = make_gate(tmp_path / "gate.json", floor, measure)
    assert main([str(gate), str(corpus.parent)]) == code
    assert capsys.readouterr().out.startswith("FAIL" if code else "ok")


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ('{"floors": [{"file": "no.jsonl", "limit": 1, "method": "twcem", "measure": "word_f1", "floor": 0}]}', "no such file: "),
        ('{"floors": [{"file": "harbours.jsonl", "limit": 1, "method": "x", "measure": "word_f1", "floor": 0}]}', "unknown method 'x'"),
        ('{"floors": [{"file": "harbours.jsonl", "limit": 1, "method": "twcem", "measure": "x", "floor": 0}]}', "unknown measure 'x'"),
        ('{"floors": [{"file": "harbours.jsonl"}]}', "gate.json: not a gate file"),
        ("not JSON", "gate.json: not a gate file"),
        (None, "gate.json: cannot be read (No such file or directory)"),
    ],
)  # fmt: skip
def test_a_figure_that_cannot_be_measured_gives_one_line(
    gate: str | None, message: str, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if gate is not None:
        (tmp_path / "gate.json").write_text(gate)
    assert main([str(tmp_path / "gate.json"), str(corpus.parent)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("gate: ")
    assert message in line


def test_floors_are_raised_and_never_lowered(corpus: Path, tmp_path: Path) -> None:
    gate = make_gate(tmp_path / "gate.json", 0.1)
    main([str(gate), str(corpus.parent), "--raise"])
    (raised,) = read_floors(gate)
    assert 0.1 < raised.floor <= 1
    assert main([str(gate), str(corpus.parent)]) == 0
    assert raise_floors([FloorResult(raised, 0.05), FloorResult(raised, None)]) == [raised, raised]


def test_the_gate_file_of_the_project_is_valid() -> None:
    floors = read_floors(ROOT / "benchmarks" / "gate.json")
    assert floors
    assert all(0 < floor.floor <= 1 for floor in floors)
    assert len({(floor.file, floor.limit, floor.method, floor.measure) for floor in floors}) == len(floors)
    assert isinstance(floors[0], Floor)
