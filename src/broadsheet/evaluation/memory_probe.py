"""Peak memory of each contender: a process of its own that reads a sample of the pages and nothing else."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from broadsheet.corpora import Record
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.peers import adapters
from broadsheet.evaluation.store import Store, hash_page

SAMPLE_PAGES = 12
_MAX_CHARS = 1_000_000
_SECONDS = 120


class MemoryProbe:
    """Keeps a few pages, those with the smallest hashes, and runs each contender over them."""

    def __init__(self) -> None:
        self._sample: dict[str, str] = {}  # requests of the pages with the smallest hashes: any order will do

    def offer(self, record: Record) -> None:
        """Take a page into the sample, if it belongs there."""
        if len(record.html) > _MAX_CHARS or not isinstance(record.html, str):
            return
        key = hash_page(record)
        if len(self._sample) < SAMPLE_PAGES or key < max(self._sample):
            self._sample[key] = json.dumps({"html": record.html, "url": record.url, "lang": record.lang})
            if len(self._sample) > SAMPLE_PAGES:
                del self._sample[max(self._sample)]

    def measure(self, contenders: Sequence[Contender], store: Store) -> dict[str, float]:
        """Peak MB by contender, from the cache where it is known."""
        requests = "\n".join(self._sample[key] for key in sorted(self._sample))
        sample = hashlib.sha256(requests.encode()).hexdigest()[:16]
        peaks: dict[str, float] = {}
        for contender in contenders:
            fact = f"memory|{sample}|{contender.key}"
            peak = store.find_fact(fact)
            if peak is None and (peak := _run(contender, requests)) is not None:
                store.add_fact(fact, peak)
            if peak is not None:
                peaks[contender.name] = peak
        return peaks


def _run(contender: Contender, requests: str) -> float | None:
    """Ask a server for all pages of the sample, then for its peak."""
    if contender.is_peer:
        command = [str(contender.python or sys.executable), str(Path(adapters.__file__)), contender.name]
    else:
        command = [sys.executable, "-m", "broadsheet.evaluation.method_server", contender.name]
    try:
        done = subprocess.run(
            command, input=f"{requests}\n{{}}\n", capture_output=True, text=True, check=False, timeout=_SECONDS
        )
        peak = json.loads(done.stdout.splitlines()[-1]).get("memory")
    except (subprocess.TimeoutExpired, IndexError, ValueError):
        return None
    return float(peak) if peak else None
