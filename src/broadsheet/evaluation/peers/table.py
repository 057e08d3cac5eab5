"""The table of peers: the fields that each extracts, its package and its environment."""

from __future__ import annotations

from dataclasses import dataclass

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
