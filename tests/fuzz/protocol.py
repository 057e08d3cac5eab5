"""What a worker process reports to the driver: one JSON object per line."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that broke a promise."""

    seed: int
    method: str
    problem: str

    def __str__(self) -> str:
        return f"seed {self.seed}, {self.method}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one case, or its start: `is_done` is false."""

    seed: int
    is_done: bool = False
    digest: str = ""  # of all outputs of all methods
    max_seconds: float = 0.0  # of one method, processor time
    html: str = ""  # the article, for the browser check
    failures: tuple[Failure, ...] = field(default=())

    def write(self) -> str:
        """Return the line."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, line: str) -> Report:
        """Read a line."""
        values = json.loads(line)
        failures = tuple(Failure(**failure) for failure in values.pop("failures"))
        return cls(**values, failures=failures)
