"""Analyse a page once: its blocks with the roles that the current method suggests, and how sure the methods are."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations

import numpy as np

from broadsheet.api import extract
from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels, tags
from broadsheet.blocks.roles import LabelRole, read_method_role
from broadsheet.errors import LimitReached
from broadsheet.methods import load_method
from broadsheet.methods.apply import label_blocks
from broadsheet.options import ExtractOptions
from broadsheet.page import TEXT, Nodes, Page, read_page
from broadsheet.site.keys import read_structure
from broadsheet.stored import parse_json, read_value, unpack

OTHER_METHODS = ("visual", "semtext")  # their disagreement with the method shows pages that are hard
_PLACE_STEPS = 4  # the containers of a place, counted from the block: outer ones have classes that name the page


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A block of a page, with the role that the method suggests."""

    path: str  # list_paths
    text: str
    place: str  # list_places
    role: LabelRole
    score: float  # 0..1: probability that the block is article text
    link_share: float
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the method says about a page. Pages of a project are analysed again when the weights change."""

    status: str
    confidence: float
    disagreement: float  # 0..1: share of the text that other methods do not agree on
    url: str | None = None  # as given, otherwise the canonical one
    title: str | None = None
    date: str | None = None  # ISO 8601
    authors: tuple[str, ...] = ()
    language: str | None = None
    method: str = ""
    weights: str | None = None  # hash of the weights
    version: str | None = None  # of Broadsheet
    blocks: tuple[PageBlock, ...] = ()
    structure: tuple[int, ...] = ()  # site.keys.read_structure

    def pack(self) -> bytes:
        """Return the analysis as compressed JSON."""
        return zlib.compress(json.dumps(asdict(self), ensure_ascii=False).encode("utf-8", "replace"), level=6)


def unpack_analysis(data: bytes) -> Analysis:
    """Return the analysis that `Analysis.pack` wrote. Raises DamagedFile."""
    return read_value(Analysis, parse_json(unpack(data), dict))


def analyse_page(html: str | bytes, url: str | None, options: ExtractOptions) -> Analysis:
    """Extract a page with the method of the options, and compare with other methods. Bad pages have a status."""
    article = extract(html, url, options=options)
    blocks, labels = article.page_blocks, article.labels
    facts = Analysis(
        status=article.status.value,
        confidence=round(article.confidence, 4),
        disagreement=0.0,
        url=article.url,
        title=article.title,
        date=article.date.isoformat() if article.date else None,
        authors=article.authors,
        language=article.language,
        method=article.method,
        weights=article.provenance.weights,
        version=article.provenance.broadsheet_version,
    )
    if blocks is None or labels is None:  # it took too long, or is not HTML
        return facts
    page = read_page(html, url=url, charset=options.charset, limits=options.limits)
    return replace(
        facts,
        disagreement=round(_measure_page(page, blocks, labels, options), 4),
        blocks=_list_blocks(page, blocks, labels),
        structure=tuple(read_structure(page.nodes)),
    )


def _list_blocks(page: Page, blocks: Blocks, labels: Labels) -> tuple[PageBlock, ...]:
    paths, places = list_paths(page.nodes, blocks), list_places(page.nodes, blocks)
    return tuple(
        PageBlock(
            path=paths[number],
            text=text,
            place=places[number],
            role=read_method_role(labels.roles[number]),
            score=round(float(labels.scores[number]), 4),
            link_share=round(blocks.link_share(number), 3),
            is_hidden=blocks.has(number, tags.HIDDEN),
        )
        for number, text in enumerate(blocks.text)
    )


def _measure_page(page: Page, blocks: Blocks, labels: Labels, options: ExtractOptions) -> float:
    """Return the disagreement of the method with other methods: the mean of them."""
    others = [name for name in OTHER_METHODS if name != options.method_name]
    try:
        contents = [_find_content(label_blocks(load_method(name), page, blocks)) for name in others]
    except LimitReached:  # the page took too long, so there are no other labels to compare with
        return 0.0
    lengths = [len(text) for text in blocks.text]
    content = _find_content(labels)
    return sum(measure_disagreement((content, other), lengths) for other in contents) / max(len(contents), 1)


def _find_content(labels: Labels) -> list[bool]:
    return [role in CONTENT_ROLES for role in labels.roles]


def measure_disagreement(kept: Sequence[Sequence[bool]], lengths: Sequence[int]) -> float:
    """Return one minus the mean F1 of characters over all pairs of extractions: 0 if all are equal.

    Args:
        kept: For each extraction, whether each block is article text.
        lengths: Characters of each block.

    """
    chars = np.asarray(lengths, np.float64)
    flags = [np.asarray(row, np.bool_) for row in kept]
    values = [_compare_pair(left, right, chars) for left, right in combinations(flags, 2)]
    return float(np.mean(values)) if values else 0.0


def _compare_pair(left: np.ndarray, right: np.ndarray, chars: np.ndarray) -> float:
    total = float(chars[left].sum() + chars[right].sum())
    return 1 - 2 * float(chars[left & right].sum()) / total if total else 0.0


# Where a block is: its path on its own page, and its place in the template of the site


def list_paths(nodes: Nodes, blocks: Blocks) -> list[str]:
    """Return the path of each block: the XPath of its container, and `~2` for the second block in it.

    A path is unique on its page and does not depend on how other parts of the page are segmented.
    """
    element_paths = _list_element_paths(nodes)
    counts: Counter[int] = Counter()
    paths = []
    for container in blocks.container:
        counts[container] += 1
        suffix = f"~{counts[container]}" if counts[container] > 1 else ""
        paths.append(element_paths.get(container, "/") + suffix)
    return paths


def list_places(nodes: Nodes, blocks: Blocks) -> list[str]:
    """Return the place of each block: tags, classes and ids of its innermost containers, without digits.

    Blocks in the same place of a template have the same place on every page: `div.story/div#text/p.lead`.
    """
    steps: dict[int, str] = {}
    places: dict[int, str] = {-1: ""}
    for (row, outer), class_name in zip(nodes.outer.items(), nodes.classes, strict=True):
        steps[row] = _describe_container(nodes.tag[row], class_name, nodes.attr(row, "id"))
        places[row] = "/".join((*places[outer].split("/"), steps[row])[-_PLACE_STEPS:]).strip("/")
    return [places[container] for container in blocks.container]


def _list_element_paths(nodes: Nodes) -> dict[int, str]:
    """Return the XPath of each element: tags from the root, numbered among siblings with the same tag."""
    counts: Counter[tuple[int, str]] = Counter()
    paths: dict[int, str] = {-1: ""}
    for row, tag in enumerate(nodes.tag):
        if tag != TEXT:
            parent = nodes.parent[row]
            counts[parent, tag] += 1
            paths[row] = f"{paths[parent]}/{tag}[{counts[parent, tag]}]"
    return paths


def _describe_container(tag: str, class_name: str | None, element_id: str) -> str:
    names = "".join(f".{name}" for name in sorted((class_name or "").split()))
    text = f"{tag}{names}{f'#{element_id}' if element_id else ''}".replace("/", "")
    return "".join(char for char in text if not char.isdigit()) if names or element_id else tag
