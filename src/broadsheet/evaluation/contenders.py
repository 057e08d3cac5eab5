"""Contenders: methods and peers, with versions from which the cache knows that an answer is out of date.

An extractor is a contender as a function from html to an Answer with the time it took.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from broadsheet.api import extract
from broadsheet.blocks import CONTENT_ROLES
from broadsheet.errors import BroadsheetError, UnknownMethod, UsageError, describe_unknown
from broadsheet.evaluation import peer_adapters
from broadsheet.evaluation.answer import MAX_ERROR_CHARS, Answer, read_answer
from broadsheet.evaluation.fingerprint import fingerprint_adapters, fingerprint_method, fingerprint_weights
from broadsheet.evaluation.peers import ALL_FIELDS, PEERS, Peer, find_environment_python, read_version
from broadsheet.methods import DEFAULT_METHOD, find_model, has_method, methods
from broadsheet.models.weights import SHIPPED, find_own_weights
from broadsheet.options import ExtractOptions
from broadsheet.workers.child import describe_error
from broadsheet.workers.process import Handler, WorkerLost, WorkerProcess, WorkerStartError


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


Extractor = Callable[[str, str | None, str | None], Answer]  # html, url, language

PEER_SECONDS = 50.0  # a peer that takes longer for one page is stopped, and the page counts as failed
IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")  # the peer cannot run; other errors may be due to the page
WARM_UP_PAGE = "<title>Warm up</title><p>Imports and weights are loaded before the clock starts.</p>"


def open_extractor(contender: Contender) -> Extractor:
    """Load a contender, so that imports and weights are not part of any page's time. Raises if it cannot run."""
    peer = PeerProcess(contender) if contender.python else None
    if peer:
        run: Extractor = peer.extract
    else:
        run = _open_adapter(contender.name) if contender.is_peer else _open_method(contender)
    answer = run(WARM_UP_PAGE, None, "en")
    if answer.is_lost or (answer.error or "").startswith(IMPORT_ERRORS):
        if peer:
            peer.close()
        raise BroadsheetError(answer.error)
    return run


def _open_method(contender: Contender) -> Extractor:
    options = ExtractOptions(method=contender.method or contender.name, weights=contender.weights)
    options.load_method()

    def run(html: str, url: str | None, lang: str | None) -> Answer:  # noqa: ARG001
        start = time.perf_counter()
        try:
            article = extract(html, url=url, options=options)
            text = article.text
        except Exception as error:  # a failure counts as an empty answer and is reported
            seconds = time.perf_counter() - start
            return Answer(text="", seconds=seconds, error=describe_error(error)[:MAX_ERROR_CHARS])
        seconds = time.perf_counter() - start
        roles = article.labels.roles if article.labels else None
        return Answer(
            text=text,
            title=article.title,
            authors=article.authors,
            date=article.date.isoformat() if article.date else None,
            confidence=article.confidence,
            kept_blocks=None if roles is None else "".join("1" if role in CONTENT_ROLES else "0" for role in roles),
            seconds=seconds,
        )

    return run


def _open_adapter(name: str) -> Extractor:
    adapter = peer_adapters.ADAPTERS[name]

    def run(html: str, url: str | None, lang: str | None) -> Answer:
        return read_answer(peer_adapters.call(adapter, html, url, lang))

    return run


class PeerProcess:
    """A peer in a worker process that runs in a separate environment."""

    def __init__(self, contender: Contender) -> None:
        self._process = open_peer_process(contender)

    def extract(self, html: str, url: str | None, lang: str | None) -> Answer:
        """Extract one page. A process that dies or takes too long is a lost answer."""
        start = time.perf_counter()
        try:
            (values,) = self._process.ask((html, url, lang), PEER_SECONDS)
        except (WorkerLost, WorkerStartError) as error:
            seconds = time.perf_counter() - start
            return Answer(text="", seconds=seconds, error=str(error)[:MAX_ERROR_CHARS], is_lost=True)
        return read_answer(values)

    def close(self) -> None:
        """End the process."""
        self._process.close()


def open_peer_process(contender: Contender) -> WorkerProcess:
    """Return a worker process that runs a peer, in the peer's environment if it has one."""
    handler = Handler(str(Path(peer_adapters.__file__)), peer_adapters.open_peer.__name__, (contender.name,))
    return WorkerProcess(handler, python=contender.python)
