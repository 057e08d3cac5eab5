"""Who is compared: methods and peers, each with a version that says when an answer is out of date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from broadsheet.errors import UnknownMethod, UsageError
from broadsheet.evaluation.fingerprint import fingerprint_adapters, fingerprint_method
from broadsheet.evaluation.peers import PEERS, Peer, find_home_python, read_version
from broadsheet.evaluation.peers.table import ALL
from broadsheet.methods import methods


@dataclass(frozen=True, slots=True)
class Contender:
    """One extractor in the race."""

    name: str
    version: str  # of a method: the fingerprint of its code; of a peer: what its package says
    fields: frozenset[str]
    is_peer: bool = False
    python: Path | None = None  # a peer in an environment of its own
    code: str = ""  # fingerprint of a peer's adapter
    options: str = ""

    @property
    def key(self) -> str:
        """What its answers depend on, besides the page."""
        return "|".join(("peer" if self.is_peer else "method", self.name, self.version, self.code, self.options))


@dataclass(frozen=True, slots=True)
class Lineup:
    """The contenders that are there, and a line for each that is not."""

    contenders: tuple[Contender, ...]
    missing: tuple[str, ...]


def find_contenders(method_names: Sequence[str], peer_names: Sequence[str]) -> Lineup:
    """Find methods and peers by name. Raises UsageError for a name that nobody has."""
    found: list[Contender] = []
    missing: list[str] = []
    for name in dict.fromkeys(method_names):
        if name not in methods():
            raise UnknownMethod(name, methods())
        found.append(Contender(name, fingerprint_method(name), ALL))
    for name in dict.fromkeys(peer_names):
        if name not in PEERS:
            raise UsageError(f"unknown peer {name!r}; known: {', '.join(PEERS)}")
        peer = PEERS[name]
        if contender := _find_peer(peer):
            found.append(contender)
        else:
            missing.append(f"{name} is not installed and was skipped; to get it: {_say_how(peer)}")
    return Lineup(tuple(found), tuple(missing))


def _find_peer(peer: Peer) -> Contender | None:
    if version := read_version(peer):
        return Contender(peer.name, version, peer.fields, is_peer=True, code=fingerprint_adapters())
    if peer.home and (python := find_home_python(peer.home)) and (version := read_version(peer, python)):
        code = fingerprint_adapters()
        return Contender(peer.name, version, peer.fields, is_peer=True, python=python, code=code)
    return None


def _say_how(peer: Peer) -> str:
    return "broadsheet eval --setup-peers" if peer.home else "pip install 'broadsheet[eval]'"
