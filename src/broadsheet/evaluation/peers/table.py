"""Which peers there are: what they extract, where they come from, which environment they can live in."""

from __future__ import annotations

from dataclasses import dataclass

ALL = frozenset(("text", "title", "authors", "date"))
TEXT = frozenset(("text",))
TITLED = frozenset(("text", "title"))


@dataclass(frozen=True, slots=True)
class Home:
    """An environment that several peers share."""

    name: str
    packages: tuple[str, ...]
    python: tuple[int, int] | None = None  # the oldest Python that they run on; None: that of Broadsheet


# pip 23 cannot put readability-lxml and trafilatura into one request (it stumbles over lxml[html_clean] and
# lxml[html-clean]), so readability-lxml lives with the two that like to pin lxml.
CLASSIC = Home("classic", ("readability-lxml>=0.8.4", "newspaper4k>=0.9.3", "goose3>=3.1.20"))
MODERN = Home("modern", ("rs-trafilatura>=0.1", "magic-html>=0.1.5", "lxml_html_clean"), python=(3, 12))


@dataclass(frozen=True, slots=True)
class Peer:
    """Another extractor."""

    name: str
    package: str  # as the registry calls it
    module: str  # as Python imports it
    fields: frozenset[str]
    home: Home | None = None  # None: it comes with the extra `eval`


PEERS = {
    peer.name: peer
    for peer in (
        Peer("trafilatura", "trafilatura", "trafilatura", ALL),
        Peer("trafilatura-fast", "trafilatura", "trafilatura", ALL),
        Peer("resiliparse", "resiliparse", "resiliparse", TEXT),
        Peer("readability", "readability-lxml", "readability", TITLED, CLASSIC),
        Peer("justext", "justext", "justext", TEXT),
        Peer("boilerpy3", "boilerpy3", "boilerpy3", TITLED),
        Peer("turbohtml", "turbohtml", "turbohtml", TITLED | {"authors"}),
        Peer("htmldate", "htmldate", "htmldate", frozenset(("date",))),
        Peer("newspaper4k", "newspaper4k", "newspaper", ALL, CLASSIC),
        Peer("goose3", "goose3", "goose3", ALL, CLASSIC),
        Peer("rs-trafilatura", "rs-trafilatura", "rs_trafilatura", ALL, MODERN),
        Peer("magic-html", "magic-html", "magic_html", TITLED, MODERN),
    )
}
