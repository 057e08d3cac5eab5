"""The command line: `broadsheet extract | methods | ...`. One file for each command; `app.py` puts them together."""

from __future__ import annotations

import contextlib
import signal
import sys
from types import FrameType
from typing import NoReturn

_TERMINATED = 128 + signal.SIGTERM  # as shells count


def main() -> None:
    """Run the command line (the console script `broadsheet`)."""
    with contextlib.suppress(ValueError):  # in another thread than the first one
        signal.signal(signal.SIGTERM, _leave)
    try:
        from broadsheet.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the imports are under way, or a second one
        code = 130
    sys.exit(code)


def _leave(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - as signals call it
    """End as at an interrupt: drafts of outputs are thrown away, and workers stopped."""
    sys.exit(_TERMINATED)
