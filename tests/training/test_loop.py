"""The loop of epochs, and checkpoints of training runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broadsheet.training.loop import Checkpoint, State, keep_best, run_epochs

pytestmark = pytest.mark.train


def make_parts() -> dict[str, Any]:
    import torch

    network = torch.nn.Linear(3, 2)
    return {"network": network, "optimizer": torch.optim.Adam(network.parameters(), lr=0.1)}


def take_step(parts: dict[str, Any]) -> None:
    import torch

    parts["optimizer"].zero_grad()
    parts["network"](torch.rand(4, 3)).sum().backward()
    parts["optimizer"].step()


def test_restored_run_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    import torch

    torch.manual_seed(1)
    parts = make_parts()
    checkpoint = Checkpoint(tmp_path / "work", "run-1234", parts)
    assert checkpoint.restore() == {}
    take_step(parts)
    checkpoint.save(epochs=1, losses=[(0.5, 0.25)], best={"weight": torch.ones(2)})
    take_step(parts)
    uninterrupted = parts["network"].weight.detach().clone()

    torch.manual_seed(2)
    parts = make_parts()
    values = Checkpoint(tmp_path / "work", "run-1234", parts).restore()
    assert (values["epochs"], values["losses"], values["best"]["weight"].tolist()) == (1, [(0.5, 0.25)], [1.0, 1.0])
    take_step(parts)
    assert torch.equal(parts["network"].weight, uninterrupted)
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["run-1234.pt"]


def test_other_key_starts_anew(tmp_path: Path) -> None:
    parts = make_parts()
    Checkpoint(tmp_path, "run-1234", parts).save(epochs=1)
    assert Checkpoint(tmp_path, "run-5678", parts).restore() == {}


def test_an_interrupted_run_continues_and_ends_early(tmp_path: Path) -> None:
    parts, lines = make_parts(), list[str]()
    values = (0.5, 0.9, 0.7, 0.8)

    def train_epoch(epoch: int, state: State) -> str:
        take_step(parts)
        keep_best(state, values[epoch], parts["network"])
        state["is_done"] = epoch == 2
        return f"value {values[epoch]}"

    run_epochs(Checkpoint(tmp_path, "run", parts), 1, train_epoch, lines.append)
    state = run_epochs(Checkpoint(tmp_path, "run", parts), len(values), train_epoch, lines.append)
    assert [line.rpartition(",")[0] for line in lines] == [
        "epoch 1 of 1: value 0.5",
        "epoch 2 of 4: value 0.9",
        "epoch 3 of 4: value 0.7",
    ]
    assert (state["epochs"], state["best"], state["best_epoch"]) == (3, 0.9, 2)
    assert state["best_weights"]["weight"].shape == (2, 3)
