"""Contenders: methods and peers, with versions from which the cache knows that an answer is out of date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from broadsheet.errors import UnknownMethod, UsageError, describe_unknown
from broadsheet.evaluation.fingerprint import fingerprint_adapters, fingerprint_method, fingerprint_weights
from broadsheet.evaluation.peers import PEERS, Peer, find_environment_python, read_version
from broadsheet.evaluation.peers.table import ALL_FIELDS
from broadsheet.methods import DEFAULT_METHOD, find_model, has_method, methods
from broadsheet.models.weights import SHIPPED, find_own_weights


@dataclass(frozen=True, slots=True)
class Contender:
    """A method or a peer in an evaluation."""

    name: str
    version: str  # of a method: fingerprint of its code; of a peer: version of its package
    fields: frozenset[str]  # that it extracts: text, title, authors, date
    is_peer: bool = False
    python: Path | None = None  # interpreter of a peer that has a separate environment
    code: str = ""  # fingerprint of a peer's adapter
    options: str = ""
    method: str = ""  # of Broadsheet; "" for a peer
    weights: tuple[Path, ...] = ()  # folders of own weights

    @property
    def key(self) -> str:
        """Everything that its answers depend on, besides the page."""
        return "|".join(("peer" if self.is_peer else "method", self.name, self.version, self.code, self.options))


@dataclass(frozen=True, slots=True)
class Lineup:
    """The contenders that are installed, and a message for each that is not."""

    contenders: tuple[Contender, ...]
    missing: tuple[str, ...]


def find_contenders(method_names: Sequence[str], peer_names: Sequence[str], weights: Sequence[Path] = ()) -> Lineup:
    """Find methods and peers by name, and a method for each folder of own weights.

    Without names of methods, own weights are compared with the shipped weights of the same method. Raises UsageError
    for an unknown name.
    """
    contenders: list[Contender] = []
    missing: list[str] = []
    own_methods = [_find_own_method(folder) for folder in dict.fromkeys(weights)]
    for name in dict.fromkeys(method_names or [find_baseline(contender.method) for contender in own_methods]):
        if not has_method(name):
            raise UnknownMethod(name, methods())
        contenders.append(Contender(name, fingerprint_method(name), ALL_FIELDS, method=name))
    contenders += own_methods
    for name in dict.fromkeys(peer_names):
        if name not in PEERS:
            raise UsageError(describe_unknown("peer", name, PEERS))
        peer = PEERS[name]
        if contender := _find_peer(peer):
            contenders.append(contender)
        else:
            missing.append(f"{name} is not installed and was skipped; to install it: {_find_install_command(peer)}")
    return Lineup(tuple(contenders), tuple(missing))


def find_baseline(method: str) -> str:
    """Return the method whose shipped weights are compared with own weights of a method.

    This is the method itself if it has shipped weights; `semtext-published` has none, and `semtext` takes its place.
    """
    return method if (SHIPPED / method).is_dir() else find_model(method)


def _find_own_method(folder: Path) -> Contender:
    """Return the method that own weights belong to; title weights are used with the default method."""
    own_weights = find_own_weights([folder])
    method = own_weights.method or DEFAULT_METHOD
    if not has_method(method):
        raise UnknownMethod(method, methods())
    options = fingerprint_weights(own_weights.folders.values())
    name = f"{method}@{folder}"
    return Contender(name, fingerprint_method(method), ALL_FIELDS, options=options, method=method, weights=(folder,))


def _find_peer(peer: Peer) -> Contender | None:
    """Find a peer in this environment or in the one made for it."""
    python = None
    version = read_version(peer)
    if version is None and peer.environment:
        python = find_environment_python(peer.environment)
        version = read_version(peer, python) if python else None
    if version is None:
        return None
    return Contender(peer.name, version, peer.fields, is_peer=True, python=python, code=fingerprint_adapters())


def _find_install_command(peer: Peer) -> str:
    return "broadsheet eval --setup-peers" if peer.environment else "pip install 'broadsheet[eval]'"
