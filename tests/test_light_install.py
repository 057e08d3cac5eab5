"""The light install stays light: few packages, little disk space, little code loaded by `broadsheet --version`."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

import pytest

# Megabytes of all packages that `pip install broadsheet` brings, without Broadsheet itself. NumPy is more than half.
MAX_MEGABYTES = 110
MAX_OWN_MEGABYTES = 20  # weights included
MAX_VERSION_MODULES = 80
_REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")


def find_dependencies(name: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """Return the packages that a package needs without extras, and those that they need."""
    for line in distribution(name).requires or ():
        requirement = _REQUIREMENT.match(line)
        if "extra ==" in line or requirement is None or requirement[0].lower() in found:
            continue
        try:
            package = distribution(requirement[0])
        except PackageNotFoundError:  # for other systems or versions of Python
            continue
        found[requirement[0].lower()] = package
        find_dependencies(requirement[0], found)
    return found


def measure(package: Distribution) -> int:
    """Return the bytes of the files of a package, without compiled Python files."""
    paths = [package.locate_file(file) for file in package.files or () if file.suffix != ".pyc"]
    return sum(path.stat().st_size for path in paths if path.is_file())  # type: ignore[attr-defined]


def test_size_of_the_dependencies() -> None:
    packages = find_dependencies("broadsheet", {})
    assert {"numpy", "turbohtml", "typer"} <= packages.keys()
    heavy = {"torch", "pyarrow", "fastapi", "ray", "playwright", "scrapy", "mcp", "lxml", "pandas"}
    assert not heavy & packages.keys()
    sizes = {name: measure(package) / 1e6 for name, package in packages.items()}
    assert sum(sizes.values()) < MAX_MEGABYTES, sizes


def test_own_size() -> None:
    from pathlib import Path

    import broadsheet

    root = Path(broadsheet.__file__).parent
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file() and path.suffix not in (".pyc", ".so"))
    assert size / 1e6 < MAX_OWN_MEGABYTES


@pytest.mark.parametrize(
    "code", ["import broadsheet", "import sys; sys.argv[1:] = ['--version']; from broadsheet.cli import main; main()"]
)
def test_few_modules_are_loaded(code: str) -> None:
    """A number of modules instead of seconds: it is the same on a busy machine."""
    count = "; import sys; print(len(sys.modules))"
    bare, loaded = (
        int(subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout.split()[-1])
        for text in (count[2:], code + count)
    )
    assert loaded - bare < MAX_VERSION_MODULES


def test_version_takes_little_time() -> None:
    """At most four times as long as Python needs to start and import argparse; the best of five runs each."""
    import time

    def best(*arguments: str) -> float:
        times = []
        for _ in range(5):
            began = time.perf_counter()
            subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
            times.append(time.perf_counter() - began)
        return min(times)

    assert best("-m", "broadsheet", "--version") < 4 * best("-c", "import argparse, json, re, logging") + 0.2
