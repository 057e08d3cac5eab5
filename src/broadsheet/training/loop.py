"""Checkpoints: the state of a training run, saved after each epoch so that an interrupted run continues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from broadsheet.atomic import write_atomically
from broadsheet.extras import import_extra


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
