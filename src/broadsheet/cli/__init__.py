"""The command line: `broadsheet extract | methods | ...`. One file for each command; `app.py` puts them together."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line (the console script `broadsheet`)."""
    try:
        from broadsheet.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the imports are under way, or a second one
        code = 130
    sys.exit(code)
