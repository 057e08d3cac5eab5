"""The peers: the fields that each extracts, its package, and its virtual environment if it conflicts with others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from broadsheet.errors import BroadsheetError

ALL_FIELDS = frozenset(("text", "title", "authors", "date"))
TEXT = frozenset(("text",))
TEXT_AND_TITLE = frozenset(("text", "title"))


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment that several peers share."""

    name: str
    packages: tuple[str, ...]
    python: tuple[int, int] | None = None  # the oldest Python version that they support; None: that of Broadsheet


# pip 23 cannot install readability-lxml and trafilatura in one request (they name the extra of lxml html_clean and
# html-clean), so readability-lxml shares the environment of the two peers that pin lxml.
CLASSIC = Environment("classic", ("readability-lxml>=0.8.4", "newspaper4k>=0.9.3", "goose3>=3.1.20"))
MODERN = Environment("modern", ("rs-trafilatura>=0.1", "magic-html>=0.1.5", "lxml_html_clean"), python=(3, 12))


@dataclass(frozen=True, slots=True)
class Peer:
    """Another extractor that can take part in an evaluation."""

    name: str
    package: str  # name of its distribution
    module: str  # name for import
    fields: frozenset[str]
    environment: Environment | None = None  # None: the extra `eval` installs it


PEERS = {
    peer.name: peer
    for peer in (
        Peer("trafilatura", "trafilatura", "trafilatura", ALL_FIELDS),
        Peer("trafilatura-fast", "trafilatura", "trafilatura", ALL_FIELDS),
        Peer("resiliparse", "resiliparse", "resiliparse", TEXT),
        Peer("readability", "readability-lxml", "readability", TEXT_AND_TITLE, CLASSIC),
        Peer("justext", "justext", "justext", TEXT),
        Peer("boilerpy3", "boilerpy3", "boilerpy3", TEXT_AND_TITLE),
        Peer("turbohtml", "turbohtml", "turbohtml", TEXT_AND_TITLE | {"authors"}),
        Peer("htmldate", "htmldate", "htmldate", frozenset(("date",))),
        Peer("newspaper4k", "newspaper4k", "newspaper", ALL_FIELDS, CLASSIC),
        Peer("goose3", "goose3", "goose3", ALL_FIELDS, CLASSIC),
        Peer("rs-trafilatura", "rs-trafilatura", "rs_trafilatura", ALL_FIELDS, MODERN),
        Peer("magic-html", "magic-html", "magic_html", TEXT_AND_TITLE, MODERN),
    )
}


_PRINT_PACKAGE_VERSION = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
_PRINT_PYTHON_VERSION = "import sys; print(sys.version_info[0], sys.version_info[1])"


def find_environment_python(environment: Environment) -> Path | None:
    """Return the interpreter of an environment, or None if the environment has not been created."""
    folder = _find_folder(environment)
    names = ("Scripts/python.exe", "bin/python")
    return next((folder / name for name in names if (folder / name).exists()), None)


@cache
def read_version(peer: Peer, python: Path | None = None) -> str | None:
    """Return the version of a peer in this or another environment; None if it is not installed."""
    if python is None:
        try:
            return metadata.version(peer.package)
        except metadata.PackageNotFoundError:
            return None
    return _run_program(python, _PRINT_PACKAGE_VERSION, peer.package)


def create_environments(report: Callable[[str], None]) -> None:
    """Create the environments of all peers that need one. Raises BroadsheetError on failure."""
    for environment in (CLASSIC, MODERN):
        report(f"peers: creating {_find_folder(environment)} for {', '.join(environment.packages)}")
        python = _find_python(environment)
        if python is None:
            version = ".".join(map(str, environment.python or ()))
            report(f"peers: skipped; it needs Python {version} or newer, which is not installed")
            continue
        _create_environment(environment, python)


def _find_folder(environment: Environment) -> Path:
    return find_cache_folder() / "peers" / environment.name


def _create_environment(environment: Environment, python: Path) -> None:
    folder = _find_folder(environment)
    if python == Path(sys.executable):
        venv.create(folder, with_pip=True, clear=True)
    else:
        _run_python(python, "-m", "venv", "--clear", str(folder))
    environment_python = find_environment_python(environment)
    if environment_python is None:
        raise BroadsheetError(f"{folder}: the environment has no interpreter; remove the folder and try again")
    pip_install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    _run_python(environment_python, *pip_install, *environment.packages)


def _run_python(python: Path, *arguments: str) -> None:
    done = subprocess.run([python, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BroadsheetError(f"{python} {' '.join(arguments)} failed:\n{done.stderr.strip()[-2000:]}")


def _find_python(environment: Environment) -> Path | None:
    """Return an interpreter that is new enough: this one, one on the path, or one of pyenv."""
    if environment.python is None or sys.version_info[:2] >= environment.python:
        return Path(sys.executable)
    for candidate in _list_candidates(environment.python):
        version = _run_program(candidate, _PRINT_PYTHON_VERSION)
        if version and tuple(map(int, version.split())) >= environment.python:
            return candidate
    return None


def _list_candidates(oldest: tuple[int, int]) -> Iterator[Path]:
    for minor in range(oldest[1], oldest[1] + 5):
        if path := shutil.which(f"python{oldest[0]}.{minor}"):
            yield Path(path)
    yield from sorted((Path.home() / ".pyenv" / "versions").glob(f"{oldest[0]}.*/bin/python"))


def _run_program(python: Path, program: str, *arguments: str) -> str | None:
    """Return the output of a program, or None if it fails."""
    try:
        done = subprocess.run(
            [python, "-c", program, *arguments], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def find_cache_folder() -> Path:
    """Return the user's cache folder for Broadsheet, or the folder that the variable BROADSHEET_CACHE names."""
    if folder := os.environ.get("BROADSHEET_CACHE"):
        return Path(folder)
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "broadsheet"
