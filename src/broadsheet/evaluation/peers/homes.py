"""Environments for peers that cannot live beside the others."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from broadsheet.errors import BroadsheetError
from broadsheet.evaluation.cache_folder import find_cache_folder
from broadsheet.evaluation.peers.table import CLASSIC, MODERN, Home, Peer

_ASK_VERSION = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
_ASK_PYTHON = "import sys; print(sys.version_info[0], sys.version_info[1])"


def find_home_python(home: Home) -> Path | None:
    """The interpreter of an environment, when it was made."""
    folder = find_cache_folder() / "peers" / home.name
    names = ("Scripts/python.exe", "bin/python")
    return next((folder / name for name in names if (folder / name).exists()), None)


@cache
def read_version(peer: Peer, python: Path | None = None) -> str | None:
    """Version of an installed peer: here, or in another environment; None when it is not there."""
    if python is None:
        try:
            return metadata.version(peer.package)
        except metadata.PackageNotFoundError:
            return None
    return _ask(python, _ASK_VERSION, peer.package)


def make_homes(say: Callable[[str], None]) -> None:
    """Make the environments of all peers that need one. Raises BroadsheetError when that fails."""
    for home in (CLASSIC, MODERN):
        folder = find_cache_folder() / "peers" / home.name
        say(f"peers: making {folder} for {', '.join(home.packages)}")
        python = _find_python(home)
        if python is None:
            wanted = ".".join(map(str, home.python or ()))
            say(f"peers: skipped, no Python {wanted} or newer was found on this machine")
            continue
        _make_home(home, folder, python)


def _make_home(home: Home, folder: Path, python: Path) -> None:
    if python == Path(sys.executable):
        venv.create(folder, with_pip=True, clear=True)
    else:
        _run(python, "-m", "venv", "--clear", str(folder))
    inside = find_home_python(home)
    if inside is None:
        raise BroadsheetError(f"{folder}: the environment has no interpreter; remove the folder and try again")
    _run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *home.packages)


def _run(python: Path, *arguments: str) -> None:
    done = subprocess.run([python, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BroadsheetError(f"{python} {' '.join(arguments)} failed:\n{done.stderr.strip()[-2000:]}")


def _find_python(home: Home) -> Path | None:
    """An interpreter that is new enough: this one, one on the path, or one that pyenv keeps."""
    if home.python is None or sys.version_info[:2] >= home.python:
        return Path(sys.executable)
    for candidate in _candidates(home.python):
        found = _ask(candidate, _ASK_PYTHON)
        if found and tuple(map(int, found.split())) >= home.python:
            return candidate
    return None


def _candidates(oldest: tuple[int, int]) -> Iterator[Path]:
    for minor in range(oldest[1], oldest[1] + 5):
        if path := shutil.which(f"python{oldest[0]}.{minor}"):
            yield Path(path)
    yield from sorted((Path.home() / ".pyenv" / "versions").glob(f"{oldest[0]}.*/bin/python"))


def _ask(python: Path, program: str, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            [python, "-c", program, *arguments], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
