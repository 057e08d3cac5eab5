"""What the desk can run on a page: methods with shipped weights, own weights, and other extractors if installed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from broadsheet.evaluation.contenders import Contender, find_contenders
from broadsheet.evaluation.peers import PEERS
from broadsheet.methods import DEFAULT_METHOD, describe_method, methods
from broadsheet.options import list_own_weights

METHOD, WEIGHTS, PEER = "method", "weights", "peer"
_NO_TEXT_PEERS = frozenset(("htmldate",))


@dataclass(frozen=True, slots=True)
class ExtractorChoice:
    """One way to extract a page."""

    key: str  # its name in addresses and requests
    kind: str  # METHOD, WEIGHTS or PEER
    description: str
    method: str = ""  # of Broadsheet; "" for a peer
    weights: tuple[Path, ...] = ()
    peer: Contender | None = None

    @property
    def is_default(self) -> bool:
        """Whether it is the default method with its shipped weights."""
        return self.key == DEFAULT_METHOD


def list_own_contenders(weights: tuple[Path, ...] = ()) -> dict[str, ExtractorChoice]:
    """Return the methods, with shipped and with own weights, by key."""
    rows = [ExtractorChoice(name, METHOD, _describe_method(name), method=name) for name in methods()]
    rows += [_describe_weights(folder) for folder in dict.fromkeys(weights)]
    return {contender.key: contender for contender in rows}


def list_contenders(weights: tuple[Path, ...] = ()) -> dict[str, ExtractorChoice]:
    """Return all that can be run, by key: methods, own weights, peers. The first call takes a few seconds."""
    return list_own_contenders(weights) | {peer.key: peer for peer in _find_peers()}


def _describe_weights(folder: Path) -> ExtractorChoice:
    method = list_own_weights((folder,)).method or DEFAULT_METHOD
    key = f"{method}@{folder.name}"
    return ExtractorChoice(
        key, WEIGHTS, f"{method} with the weights in {folder.name}", method=method, weights=(folder,)
    )


@cache
def _find_peers() -> list[ExtractorChoice]:
    """Return the peers that are installed. Cached, because other environments are asked for their versions."""
    lineup = find_contenders((), [name for name in PEERS if name not in _NO_TEXT_PEERS])
    return [
        ExtractorChoice(peer.name, PEER, f"version {peer.version}", peer=peer)
        for peer in lineup.contenders
        if peer.is_peer
    ]


@cache
def _describe_method(name: str) -> str:
    try:
        return describe_method(name)
    except Exception as error:  # a plugin that does not load must not hide the other methods
        return f"does not load: {error}"
