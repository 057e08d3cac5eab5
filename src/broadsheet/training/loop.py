"""The loop of all networks: epochs, and a checkpoint after each, so that an interrupted run continues."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from broadsheet.atomic import write_atomically
from broadsheet.extras import import_extra

State = dict[str, Any]  # what a run remembers between epochs; torch must be able to save it


def run_epochs(
    checkpoint: Checkpoint, epochs: int, train_epoch: Callable[[int, State], str], report: Callable[[str], None]
) -> State:
    """Train up to a number of epochs, from the last finished one on. Returns the state of the run.

    `train_epoch(epoch, state)` trains once on all pages and returns a line for the log. It may put values into the
    state; `state["is_done"] = True` ends the run early.
    """
    state: State = {"epochs": 0, "is_done": False, **checkpoint.restore()}
    while state["epochs"] < epochs and not state["is_done"]:
        start = time.monotonic()
        line = train_epoch(state["epochs"], state)
        state["epochs"] += 1
        checkpoint.save(**state)
        report(f"epoch {state['epochs']} of {epochs}: {line}, {time.monotonic() - start:.0f} s")
    return state


def keep_best(state: State, value: float, network: Any) -> None:
    """Keep a copy of a network's weights in the state if their value is the highest of all epochs so far."""
    if value > state.get("best", -math.inf):
        weights = {name: tensor.clone() for name, tensor in network.state_dict().items()}
        state |= {"best": value, "best_epoch": state["epochs"] + 1, "best_weights": weights}


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """The file of a run's state: network, optimizer, random number generator, and other values.

    `name` must contain a key of the data and the options, so that another run does not continue from this state.
    """

    folder: Path
    name: str
    parts: Mapping[str, Any]  # networks, optimizers, schedules: objects with state_dict and load_state_dict

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / f"{self.name}.pt"

    def restore(self) -> dict[str, Any]:
        """Restore the saved state, if any, and return the other values that were saved with it."""
        if not self.path.exists():
            return {}
        torch = import_extra("torch", "train")
        saved = torch.load(self.path, weights_only=True)
        for name, part in self.parts.items():
            part.load_state_dict(saved["parts"][name])
        torch.set_rng_state(saved["random"])
        values: dict[str, Any] = saved["values"]
        return values

    def save(self, **values: Any) -> None:
        """Save the state of all parts, the random number generator of torch, and other values."""
        torch = import_extra("torch", "train")
        states = {name: part.state_dict() for name, part in self.parts.items()}
        self.folder.mkdir(parents=True, exist_ok=True)
        with write_atomically(self.path, "wb") as file:
            torch.save({"parts": states, "random": torch.get_rng_state(), "values": values}, file)
