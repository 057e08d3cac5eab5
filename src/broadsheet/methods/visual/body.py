"""What tells the blocks of the body (ours): named numbers of every block, from its text, its looks and its place.

NCE finds one subtree and takes all of it. The forests over these numbers weigh the same signs (lengths, links, styles
that repeat, the distance to the title), and what NCE says is one of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.methods.visual.features import Look
from broadsheet.methods.visual.names import KINDS, read_names, spread_bits
from broadsheet.methods.visual.nce import TextNodes
from broadsheet.page import Page
from broadsheet.text.punctuation import CLOSING_QUOTES, COMMAS, SEMICOLONS, SENTENCE_ENDS

Column = NDArray[np.float32]
Samples = NDArray[np.float32]  # (blocks, features)

_COMMA = re.compile(f"[{COMMAS}{SEMICOLONS}]")
_STOP = re.compile(f"[{SENTENCE_ENDS}]")
_ENDS = tuple(SENTENCE_ENDS + CLOSING_QUOTES)
_DIGIT = re.compile(r"\d")
_LONG = 80  # characters of a block of prose
_FEW_LINKS = 0.3  # of its characters in links, at most
_LEVELS = 4  # containers around a block that are looked at
_SAY_OF_SHORT = 20  # characters that every block counts for, besides its own
_SURE = 0.5
_FAR = 100.0  # blocks; a distance beyond is no news
_MEANINGS = {
    "heading": tags.HEADING,
    "list": tags.LIST,
    "table": tags.TABLE,
    "cell": tags.CELL,
    "caption": tags.CAPTION,
    "nav": tags.NAV,
    "header": tags.HEADER,
    "footer": tags.FOOTER,
    "aside": tags.ASIDE,
    "form": tags.FORM,
    "article": tags.ARTICLE,
    "main": tags.MAIN,
    "hidden": tags.HIDDEN,
}
_TAGS = ("p", "div", "li")
_OWN_KINDS = ("comment", "side", "meta", "picture", "text")  # of the innermost container; of those around it, all kinds
_NEAR = {  # of a block's neighbours: how many places further on
    "chars": (-2, -1, 1, 2),
    "link_share": (-2, -1, 1, 2),
    "kin_mean": (-2, -1, 1, 2),
    "style_rank": (-1, 1, 2),
    "size_to_main": (-1, 1),
    "level": (-1, 1),
    "tag_p": (-1, 1),
}


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Blocks that belong together: a number for each block, counted from 0."""

    kin: NDArray[np.int64]  # in the same kind of place: same tags, same classes
    holder: NDArray[np.int64]  # in the same container


def group_blocks(blocks: Blocks) -> Groups:
    """Group the blocks of a page."""
    kin = np.array(blocks.tag_path, np.int64) << 32 | np.array(blocks.class_path, np.int64)
    return Groups(_number(kin), _number(np.array(blocks.container, np.int64)))


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What the steps before have found."""

    is_relevant: NDArray[np.bool_]  # of each block: NCE's word
    look: Look  # of each block's first text node
    groups: Groups


def measure_blocks(page: Page, blocks: Blocks, text: TextNodes, known: Known) -> dict[str, Column]:
    """Measure all blocks: a column for each feature, but for those that ask where the title is."""
    own = _measure_text(blocks)
    columns = {
        **own,
        **_measure_meaning(page, blocks),
        **_measure_look(own["chars"], known.look),
        **_measure_containers(page, blocks, text, own),
        **_measure_repetition(known.groups.kin, own),
        **_measure_place(own["chars"], known),
    }
    return columns | _measure_neighbours(columns)


def stack(columns: dict[str, Column]) -> Samples:
    """Put columns side by side."""
    return np.stack(list(columns.values()), axis=1)


def _as_column(values: Sequence[float] | NDArray[np.generic]) -> Column:
    return np.asarray(values, np.float32)


def _measure_text(blocks: Blocks) -> dict[str, Column]:
    texts = blocks.text
    chars = _as_column([len(text) for text in texts])
    links = _as_column(blocks.link_chars)
    some = np.maximum(chars, 1)
    stops = _as_column([len(_STOP.findall(text)) for text in texts])
    return {
        "chars": chars,
        "link_share": _as_column(links / some),
        "commas": _as_column([len(_COMMA.findall(text)) for text in texts]),
        "stops": stops,
        "sentence": _as_column(chars / (stops + 1)),
        "ends": _as_column([text.endswith(_ENDS) for text in texts]),
        "digit_share": _as_column(_as_column([len(_DIGIT.findall(text)) for text in texts]) / some),
        "words": _as_column([text.count(" ") + 1 for text in texts]),
        "breaks": _as_column([text.count("\n") for text in texts]),
    }


def _measure_meaning(page: Page, blocks: Blocks) -> dict[str, Column]:
    meaning = np.array(blocks.context, np.int64)
    node_tag = page.nodes.tag
    holders = [node_tag[row] for row in blocks.container]
    found = {name: _as_column(meaning & bit != 0) for name, bit in _MEANINGS.items()}
    found |= {f"tag_{tag}": _as_column([holder == tag for holder in holders]) for tag in _TAGS}
    found["level"] = _as_column([tags.HEADINGS.get(holder, 0) for holder in holders])
    names = read_names(page.nodes)
    own = spread_bits([names[row][0] for row in blocks.container])
    around = spread_bits([names[row][1] for row in blocks.container])
    found |= {f"own_{kind}": _as_column(own[KINDS.index(kind)]) for kind in _OWN_KINDS}
    found |= {f"around_{kind}": _as_column(around[at]) for at, kind in enumerate(KINDS)}
    return found


def _measure_look(chars: Column, look: Look) -> dict[str, Column]:
    """Measure how a block is shown beside what most of the page's text looks like."""
    shares = np.bincount(look.style, weights=chars * look.is_shown)
    total = max(float(shares.sum()), 1.0)
    share = shares[look.style] / total
    main_size = look.size[int((share * (chars > 0)).argmax())] if len(chars) else 16.0
    return {
        "size": look.size,
        "size_to_main": look.size / max(float(main_size), 1.0),
        "is_bold": _as_column(look.is_bold),
        "is_shown": _as_column(look.is_shown),
        "style_share": _as_column(share),
        "style_rank": _as_column(share / max(float(shares.max(initial=0.0)) / total, 1e-9)),
    }


def _measure_containers(page: Page, blocks: Blocks, text: TextNodes, own: dict[str, Column]) -> dict[str, Column]:
    """Measure the containers around a block: how much text, how many links, how much of the page's prose."""
    nodes = page.nodes
    is_prose = (
        (own["chars"] >= _LONG) & (own["link_share"] <= _FEW_LINKS) & (np.array(blocks.context) & tags.HIDDEN == 0)
    )
    prose = np.zeros(len(nodes) + 1, np.int64)
    counts = np.zeros(len(nodes) + 1, np.int64)
    first = np.array(blocks.first, np.int64)
    np.add.at(prose, first + 1, np.where(is_prose, own["chars"], 0).astype(np.int64))
    counts[first + 1] = 1
    prose, counts = prose.cumsum(), counts.cumsum()
    total, all_chars = max(int(prose[-1]), 1), max(int(text.upto[-1]), 1)
    outer = nodes.outer
    found: dict[str, Column] = {}
    rows = np.array(blocks.container, np.int64)
    for level in range(_LEVELS):
        ends = text.end[rows]
        chars = text.upto[ends] - text.upto[rows]
        links = text.links_upto[ends] - text.links_upto[rows]
        within = prose[ends] - prose[rows]
        if level:
            found[f"chars_{level}"] = _as_column(chars)
            found[f"links_{level}"] = _as_column(links / np.maximum(chars, 1))
            found[f"blocks_{level}"] = _as_column(counts[ends] - counts[rows])
        found[f"prose_{level}"] = _as_column(within / total)
        found[f"density_{level}"] = _as_column(within / np.maximum(chars, 1))
        rows = np.array([max(outer.get(row, 0), 0) for row in rows.tolist()], np.int64)
    depth = {-1: 0}
    for row, above in outer.items():
        depth[row] = depth[above] + 1
    found["depth"] = _as_column([depth[row] for row in blocks.container])
    found["page_prose"] = np.full(len(blocks), total, np.float32)
    found["page_density"] = np.full(len(blocks), total / all_chars, np.float32)
    for share in (50, 80):
        main = _find_main(page, prose, share / 100)
        inside = (first >= main) & (first < nodes.end[main])
        found[f"main_{share}"] = _as_column(inside)
        found[f"below_main_{share}"] = found["depth"] - depth.get(main, 0)
    before = prose[first]
    found["prose_before"] = _as_column(before / total)
    found["chars_before"] = _as_column(text.upto[first] / all_chars)
    return found


def _find_main(page: Page, prose: NDArray[np.int64], share: float) -> int:
    """Find the smallest container of so much of the page's prose: around the middle of it."""
    nodes, total = page.nodes, int(prose[-1])
    if not total:
        return 0
    row = int(np.searchsorted(prose, (total + 1) // 2)) - 1
    while row > 0 and prose[nodes.end[row]] - prose[row] < share * total:
        row = nodes.parent[row]
    return row


def _measure_repetition(kind: NDArray[np.int64], own: dict[str, Column]) -> dict[str, Column]:
    """Measure the blocks that stand in the same kind of place."""
    count = np.bincount(kind)
    chars = np.bincount(kind, weights=own["chars"])
    links = np.bincount(kind, weights=own["chars"] * own["link_share"])
    stops = np.bincount(kind, weights=own["ends"])
    total = max(float(chars.sum()), 1.0)
    return {
        "kin": _as_column(count[kind]),
        "kin_chars": _as_column((chars / total)[kind]),
        "kin_mean": _as_column((chars / count)[kind]),
        "kin_links": _as_column((links / np.maximum(chars, 1))[kind]),
        "kin_ends": _as_column((stops / count)[kind]),
    }


def _measure_place(chars: Column, known: Known) -> dict[str, Column]:
    count = len(chars)
    return {
        "place": _as_column(np.arange(count) / max(count, 1)),
        "count": np.full(count, count, np.float32),
        "is_relevant": _as_column(known.is_relevant),
    }


def measure_from_title(count: int, title: int | None) -> dict[str, Column]:
    """Measure how many blocks after the title's each one stands; all are far below where there is no title."""
    places = np.arange(count, dtype=np.float32)
    return {"from_title": np.full(count, _FAR, np.float32) if title is None else np.clip(places - title, -_FAR, _FAR)}


def _measure_neighbours(columns: dict[str, Column]) -> dict[str, Column]:
    """Give a block what its neighbours have, two to each side, and the text around it."""
    found = {f"{name}_{step:+d}": _shift(columns[name], step) for name, steps in _NEAR.items() for step in steps}
    good = columns["chars"] * (1 - columns["link_share"])
    bad = columns["chars"] * columns["link_share"]
    for reach in (5, 15):
        found[f"text_near_{reach}"] = _sum_around(good, reach)
        found[f"links_near_{reach}"] = _sum_around(bad, reach)
    return found


def _shift(column: Column, step: int) -> Column:
    """The value of the block `step` places further on; 0 beyond the ends."""
    shifted = np.zeros_like(column)
    if abs(step) < len(column):
        if step > 0:
            shifted[:-step] = column[step:]
        else:
            shifted[-step:] = column[:step]
    return shifted


def _sum_around(column: Column, reach: int) -> Column:
    sums = np.concatenate(([0.0], np.cumsum(column, dtype=np.float64)))
    places = np.arange(len(column))
    return _as_column(sums[np.minimum(places + reach + 1, len(column))] - sums[np.maximum(places - reach, 0)])


def measure_scores(groups: Groups, chars: Column, scores: NDArray[np.float64]) -> dict[str, Column]:
    """Measure what the first forest says of a block's neighbours, its kin and its containers: for the second one."""
    score = _as_column(scores)
    found = {"score": score}
    found |= {f"score_{step:+d}": _shift(score, step) for step in (-3, -2, -1, 1, 2, 3)}
    weight = chars + _SAY_OF_SHORT
    for name, group in (("kin", groups.kin), ("holder", groups.holder)):
        means = np.bincount(group, weights=weight * score) / np.bincount(group, weights=weight)
        found[f"score_{name}"] = _as_column(means[group])
    mass = score * chars
    total = max(float(mass.sum()), 1.0)
    upto = np.cumsum(mass)
    found["mass_before"] = _as_column((upto - mass) / total)
    found["mass_after"] = _as_column((total - upto) / total)
    found["mass"] = np.full(len(chars), total, np.float32)
    for reach in (3, 8):
        found[f"score_near_{reach}"] = _as_column(_sum_around(mass, reach) / np.maximum(_sum_around(chars, reach), 1))
    is_sure = (score > _SURE) & (chars >= _LONG)
    found["since_sure"] = _count_since(is_sure)
    found["until_sure"] = _count_since(is_sure[::-1])[::-1].copy()
    return found


def _number(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(np.unique(keys, return_inverse=True)[1], np.int64)


def _count_since(is_mark: NDArray[np.bool_]) -> Column:
    """Blocks since the last marked one before, at most _FAR."""
    places = np.arange(len(is_mark))
    last = np.maximum.accumulate(np.where(is_mark, places, -1000)) if len(places) else places
    before = np.concatenate(([-1000], last[:-1])) if len(places) else last
    return _as_column(np.minimum(places - before, _FAR))
