"""The command line: `broadsheet extract | methods | ...`. One file for each command; `app.py` puts them together."""

from __future__ import annotations


def main() -> None:
    """Run the command line (the console script `broadsheet`)."""
    import sys

    from broadsheet.cli.app import run

    sys.exit(run(sys.argv[1:]))
