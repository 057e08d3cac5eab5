"""Install the wheel into a clean environment and run the README there, from top to bottom.

    make test-wheel

Blocks of `pycon` and `console` are run by docs/run_examples.py with the light install. Then the commands of the `sh`
blocks are run in a folder that has the files that they name. Commands for `make` or for addresses on the web are listed
as not run.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHELL_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXTRA = re.compile(r"pip install '?broadsheet(\[[\w,]+\])'?")
# In a clone only; no network; until they are interrupted
NOT_HERE = re.compile(r"^make |^pip install \. |https://|broadsheet desk|broadsheet watch")
SERVE = "broadsheet serve"
PACKAGES_OF_ALL_LINES = "[archive,tables]"  # the lines that read WARC files and write Parquet need them
START_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Place:
    """A clean environment and a folder to run commands in."""

    python: Path
    folder: Path
    wheel: Path
    port: int

    def install(self, extras: str = "") -> None:
        """Install the wheel, with extras."""
        pip = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--constraint", ROOT / "constraints.txt", f"{self.wheel}{extras}"], check=True)

    def environment(self) -> dict[str, str]:
        """Return the environment of commands: the programs of the clean environment first, and nothing of this tree."""
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        path = f"{self.python.parent}{os.pathsep}{os.environ['PATH']}"
        return {**kept, "PATH": path, "NO_COLOR": "1", "BROADSHEET_PORT": str(self.port)}


def main() -> int:
    """Check the newest wheel of dist/."""
    wheels = sorted((ROOT / "dist").glob("broadsheet-*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        print("dist/ has no wheel; run: make wheel")
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        venv.create(folder / "clean", with_pip=True)
        place = Place(folder / "clean" / "bin" / "python", folder / "work", wheels[-1], find_port())
        place.install()
        examples = run_examples(place)
        write_inputs(place.folder)
        place.install(PACKAGES_OF_ALL_LINES)
        return run_commands(place) or examples


def run_examples(place: Place) -> int:
    """Run the examples of the README with the light install."""
    command = [place.python, ROOT / "docs" / "run_examples.py", "--installed", ROOT / "README.md"]
    return subprocess.run(command, cwd=place.folder.parent, env=place.environment(), check=False).returncode


def run_commands(place: Place) -> int:
    """Run the commands of the shell blocks, and return the number of those that failed."""
    failed = 0
    for command in list_commands():
        if NOT_HERE.search(command):
            print(f"not run: {command}")
        elif SERVE in command:
            install_extras(place, command)
            failed += not check_service(place)
        elif "127.0.0.1" not in command:  # those are run with the service
            install_extras(place, command)
            failed += not run_command(place, EXTRA.sub("true", command))
    return failed


def list_commands() -> Iterator[str]:
    """Yield the commands of the shell blocks of the README."""
    for block in SHELL_BLOCK.findall((ROOT / "README.md").read_text("utf-8")):
        yield from (line for line in block.splitlines() if line.strip() and not line.startswith("#"))


def install_extras(place: Place, command: str) -> None:
    """Install the extras that a command of pip names, from the wheel."""
    for extras in EXTRA.findall(command):
        place.install(extras)


def run_command(place: Place, command: str) -> bool:
    """Run a command, and print it with its output if it failed."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=place.folder,
        env=place.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    is_good = done.returncode == 0 and "Traceback" not in done.stderr
    print(f"{'ok' if is_good else 'FAILED'}: {command}")
    if not is_good:
        print(done.stdout, done.stderr)
    return is_good


def check_service(place: Place) -> bool:
    """Start the service, and run the commands of the README that use it."""
    commands = [line.replace(":8000", f":{place.port}") for line in list_commands() if "127.0.0.1" in line]
    service = subprocess.Popen([place.python, "-m", "broadsheet", "serve"], cwd=place.folder, env=place.environment())
    try:
        wait_until_ready(f"http://127.0.0.1:{place.port}/ready")
        failed = [line for line in commands if not run_command(place, line.replace("curl ", "curl --fail --silent "))]
        return not failed
    finally:
        service.terminate()
        service.wait(START_SECONDS)


def wait_until_ready(address: str) -> None:
    """Wait until the service answers."""
    for _ in range(START_SECONDS * 4):
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            time.sleep(0.25)
        else:
            return
    raise TimeoutError(f"no answer from {address}")


def write_inputs(folder: Path) -> None:
    """Write the files that the README names."""
    pages = ROOT / "examples" / "pages"
    shutil.copytree(ROOT / "examples", folder / "examples")
    for name in ("page.html", "story.html"):
        shutil.copy(pages / "harbour.html", folder / name)
    for name in ("crawl", "pages"):
        shutil.copytree(pages / "valley", folder / name)
    (folder / "crawl.warc.gz").write_bytes(b"".join(map(make_capture, sorted((pages / "valley").glob("*.html")))))


def make_capture(page: Path) -> bytes:
    """Make a WARC record of a page."""
    response = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page.read_bytes()
    header = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Target-URI: https://valley.example/{page.stem}\r\n"
        "WARC-Date: 2024-03-16T08:30:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{len(response):012d}>\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(response)}\r\n\r\n"
    )
    return gzip.compress(header.encode() + response + b"\r\n\r\n", mtime=0)


def find_port() -> int:
    """Return a free port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


if __name__ == "__main__":
    sys.exit(min(main(), 1))
