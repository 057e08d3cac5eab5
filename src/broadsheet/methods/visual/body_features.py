"""Features of body blocks (ours): text, style, containers and neighbours of every block.

NCE finds one subtree and keeps all of it. Forests over these features weigh the same information (lengths, links,
styles that repeat, the distance to the title), and the result of NCE is one of the features.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.methods.visual.features import KINDS, Samples, TextStyle, VisualInput, read_names, spread_bits
from broadsheet.page import Nodes
from broadsheet.text import CLOSING_QUOTES, COMMAS, SEMICOLONS, SENTENCE_ENDS

Column = NDArray[np.float32]
Columns = dict[str, Column]

_COMMA = re.compile(f"[{COMMAS}{SEMICOLONS}]")
_SENTENCE_END = re.compile(f"[{SENTENCE_ENDS}]")
_FINAL_MARKS = tuple(SENTENCE_ENDS + CLOSING_QUOTES)
_DIGIT = re.compile(r"\d")
_MIN_PROSE_CHARS = 80  # of a block
_MAX_PROSE_LINK_SHARE = 0.3
_CONTAINER_LEVELS = 4  # containers around a block; level 0 is the innermost
_MAIN_SHARES = (50, 80)  # per cent of the page's prose
_SHORT_BLOCK_WEIGHT = 20  # characters added to the length of every block in means of scores
_MIN_SURE_SCORE = 0.5
_MAX_DISTANCE = 100.0  # blocks
_NO_BLOCK = -1000  # index of a missing block, farther away than _MAX_DISTANCE
_DEFAULT_FONT_SIZE = 16.0  # pixels
_CONTEXTS = {
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
_CONTAINER_KINDS = ("comment", "side", "meta", "picture", "text")  # of the block's container; of outer ones, all KINDS
_NEIGHBOUR_STEPS = {  # features of neighbours: how many blocks further on
    "chars": (-2, -1, 1, 2),
    "link_share": (-2, -1, 1, 2),
    "position_mean_chars": (-2, -1, 1, 2),
    "style_rank": (-1, 1, 2),
    "size_to_main": (-1, 1),
    "heading_level": (-1, 1),
    "tag_p": (-1, 1),
}
_NEIGHBOUR_REACHES = (5, 15)  # blocks on each side
_SCORE_STEPS = (-3, -2, -1, 1, 2, 3)
_SCORE_REACHES = (3, 8)
BODY_FEATURES = (
    *("chars", "link_share", "commas", "sentence_ends", "chars_per_sentence", "ends_sentence", "digit_share"),
    *("words", "line_breaks"),
    *(f"in_{name}" for name in _CONTEXTS),
    *(f"tag_{tag}" for tag in _TAGS),
    "heading_level",
    *(f"name_{kind}" for kind in _CONTAINER_KINDS),
    *(f"outer_name_{kind}" for kind in KINDS),
    *("font_size", "size_to_main", "is_bold", "is_shown", "style_share", "style_rank"),
    *("prose_0", "density_0"),
    *(
        f"{name}_{level}"
        for level in range(1, _CONTAINER_LEVELS)
        for name in ("chars", "links", "blocks", "prose", "density")
    ),
    *("depth", "page_prose", "page_density"),
    *(f"{name}_{share}" for share in _MAIN_SHARES for name in ("in_main", "below_main")),
    *("prose_before", "chars_before"),
    *("position_blocks", "position_share", "position_mean_chars", "position_links", "position_ends_sentence"),
    *("blocks_before", "page_blocks", "is_relevant"),
    *(f"{name}_{step:+d}" for name, steps in _NEIGHBOUR_STEPS.items() for step in steps),
    *(f"{name}_{reach}" for reach in _NEIGHBOUR_REACHES for name in ("text_near", "links_near")),
)
TITLE_FEATURES = ("from_title",)
SCORE_FEATURES = (
    "score",
    *(f"score_{step:+d}" for step in _SCORE_STEPS),
    *("score_position", "score_container"),
    *("mass_before", "mass_after", "mass"),
    *(f"score_near_{reach}" for reach in _SCORE_REACHES),
    *("since_sure", "until_sure"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of blocks: for each block, the number of its group."""

    position: NDArray[np.int64]  # blocks with the same path of tags and the same path of classes
    container: NDArray[np.int64]  # blocks in the same container


@dataclass(frozen=True, slots=True, eq=False)
class BodyFeatures:
    """Features of all blocks of a page."""

    columns: Columns  # BODY_FEATURES
    groups: Groups


def compute_body_features(inputs: VisualInput) -> BodyFeatures:
    """Compute BODY_FEATURES of all blocks of a page."""
    blocks = inputs.blocks
    first_nodes = inputs.find_first_nodes()
    groups = group_blocks(blocks)
    text = _read_texts(blocks)
    columns = {
        **text,
        **_read_context(inputs.page.nodes, blocks),
        **_compute_style(text["chars"], inputs.style.pick(first_nodes)),
        **_compute_containers(inputs, text),
        **_compute_positions(groups.position, text),
        "blocks_before": _as_column(np.arange(len(blocks)) / max(len(blocks), 1)),
        "page_blocks": np.full(len(blocks), len(blocks), np.float32),
        "is_relevant": _as_column(inputs.is_relevant[first_nodes]),
    }
    columns |= _compute_neighbours(columns)
    return BodyFeatures(columns, groups)


def group_blocks(blocks: Blocks) -> Groups:
    """Group the blocks of a page."""
    paths = np.array(blocks.tag_path, np.int64) << 32 | np.array(blocks.class_path, np.int64)
    return Groups(_number_groups(paths), _number_groups(np.array(blocks.container, np.int64)))


def _number_groups(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(np.unique(keys, return_inverse=True)[1], np.int64)


def stack_columns(columns: Columns, names: Sequence[str]) -> Samples:
    """Put the named columns side by side: (blocks, names)."""
    return np.stack([columns[name] for name in names], axis=1)


def _as_column(values: Sequence[float] | NDArray[np.generic]) -> Column:
    return np.asarray(values, np.float32)


def _read_texts(blocks: Blocks) -> Columns:
    texts = blocks.text
    chars = _as_column([len(text) for text in texts])
    filled = np.maximum(chars, 1)
    sentence_ends = _as_column([len(_SENTENCE_END.findall(text)) for text in texts])
    return {
        "chars": chars,
        "link_share": _as_column(_as_column(blocks.link_chars) / filled),
        "commas": _as_column([len(_COMMA.findall(text)) for text in texts]),
        "sentence_ends": sentence_ends,
        "chars_per_sentence": _as_column(chars / (sentence_ends + 1)),
        "ends_sentence": _as_column([text.endswith(_FINAL_MARKS) for text in texts]),
        "digit_share": _as_column(_as_column([len(_DIGIT.findall(text)) for text in texts]) / filled),
        "words": _as_column([text.count(" ") + 1 for text in texts]),
        "line_breaks": _as_column([text.count("\n") for text in texts]),
    }


def _read_context(nodes: Nodes, blocks: Blocks) -> Columns:
    """Read tags, context and names of the containers around each block."""
    context = np.array(blocks.context, np.int64)
    container_tags = [nodes.tag[row] for row in blocks.container]
    columns = {f"in_{name}": _as_column(context & bit != 0) for name, bit in _CONTEXTS.items()}
    columns |= {f"tag_{tag}": _as_column([name == tag for name in container_tags]) for tag in _TAGS}
    columns["heading_level"] = _as_column([tags.HEADINGS.get(name, 0) for name in container_tags])
    names = read_names(nodes)
    container_kinds = spread_bits([names[row][0] for row in blocks.container])
    outer_kinds = spread_bits([names[row][1] for row in blocks.container])
    columns |= {f"name_{kind}": _as_column(container_kinds[kind]) for kind in _CONTAINER_KINDS}
    columns |= {f"outer_name_{kind}": _as_column(outer_kinds[kind]) for kind in KINDS}
    return columns


def _compute_style(chars: Column, style: TextStyle) -> Columns:
    """Compare the style of each block with the styles of the page's text. `style` is that of the first text nodes."""
    style_chars = np.bincount(style.style_id, weights=chars * style.is_shown)
    total = max(float(style_chars.sum()), 1.0)
    share = style_chars[style.style_id] / total
    main_size = style.font_size[int((share * (chars > 0)).argmax())] if len(chars) else _DEFAULT_FONT_SIZE
    return {
        "font_size": style.font_size,
        "size_to_main": style.font_size / max(float(main_size), 1.0),
        "is_bold": _as_column(style.is_bold),
        "is_shown": _as_column(style.is_shown),
        "style_share": _as_column(share),
        "style_rank": _as_column(share / max(float(style_chars.max(initial=0.0)) / total, 1e-9)),
    }


def _compute_containers(inputs: VisualInput, text: Columns) -> Columns:
    """Compute text, links and prose of the containers around each block."""
    nodes, blocks, text_nodes = inputs.page.nodes, inputs.blocks, inputs.text
    first = np.array(blocks.first, np.int64)
    prose_before = _sum_prose(nodes, blocks, text)
    blocks_before = np.zeros(len(nodes) + 1, np.int64)
    blocks_before[first + 1] = 1
    blocks_before = blocks_before.cumsum()
    page_prose, page_chars = max(int(prose_before[-1]), 1), max(int(text_nodes.chars_before[-1]), 1)
    columns: Columns = {}
    rows = np.array(blocks.container, np.int64)
    for level in range(_CONTAINER_LEVELS):
        ends = text_nodes.end[rows]
        chars = text_nodes.chars_before[ends] - text_nodes.chars_before[rows]
        link_chars = text_nodes.link_chars_before[ends] - text_nodes.link_chars_before[rows]
        prose = prose_before[ends] - prose_before[rows]
        if level:
            columns[f"chars_{level}"] = _as_column(chars)
            columns[f"links_{level}"] = _as_column(link_chars / np.maximum(chars, 1))
            columns[f"blocks_{level}"] = _as_column(blocks_before[ends] - blocks_before[rows])
        columns[f"prose_{level}"] = _as_column(prose / page_prose)
        columns[f"density_{level}"] = _as_column(prose / np.maximum(chars, 1))
        rows = np.array([max(nodes.outer.get(row, 0), 0) for row in rows.tolist()], np.int64)
    depths = {-1: 0}
    for row, outer in nodes.outer.items():
        depths[row] = depths[outer] + 1
    columns["depth"] = _as_column([depths[row] for row in blocks.container])
    columns["page_prose"] = np.full(len(blocks), page_prose, np.float32)
    columns["page_density"] = np.full(len(blocks), page_prose / page_chars, np.float32)
    for share in _MAIN_SHARES:
        main = _find_main(nodes, prose_before, share / 100)
        columns[f"in_main_{share}"] = _as_column((first >= main) & (first < nodes.end[main]))
        columns[f"below_main_{share}"] = columns["depth"] - depths.get(main, 0)
    columns["prose_before"] = _as_column(prose_before[first] / page_prose)
    columns["chars_before"] = _as_column(text_nodes.chars_before[first] / page_chars)
    return columns


def _sum_prose(nodes: Nodes, blocks: Blocks, text: Columns) -> NDArray[np.int64]:
    """Return the characters of prose before each row; one more value at the end."""
    is_visible = np.array(blocks.context) & tags.HIDDEN == 0
    is_prose = (text["chars"] >= _MIN_PROSE_CHARS) & (text["link_share"] <= _MAX_PROSE_LINK_SHARE) & is_visible
    prose = np.zeros(len(nodes) + 1, np.int64)
    np.add.at(prose, np.array(blocks.first, np.int64) + 1, np.where(is_prose, text["chars"], 0).astype(np.int64))
    return prose.cumsum()


def _find_main(nodes: Nodes, prose_before: NDArray[np.int64], share: float) -> int:
    """Return the smallest element around the middle of the page's prose that holds this share of it."""
    total = int(prose_before[-1])
    if not total:
        return 0
    row = int(np.searchsorted(prose_before, (total + 1) // 2)) - 1
    while row > 0 and prose_before[nodes.end[row]] - prose_before[row] < share * total:
        row = nodes.parent[row]
    return row


def _compute_positions(position: NDArray[np.int64], text: Columns) -> Columns:
    """Compute the text and links of all blocks at the same position."""
    count = np.bincount(position)
    chars = np.bincount(position, weights=text["chars"])
    link_chars = np.bincount(position, weights=text["chars"] * text["link_share"])
    sentences = np.bincount(position, weights=text["ends_sentence"])
    total = max(float(chars.sum()), 1.0)
    return {
        "position_blocks": _as_column(count[position]),
        "position_share": _as_column((chars / total)[position]),
        "position_mean_chars": _as_column((chars / count)[position]),
        "position_links": _as_column((link_chars / np.maximum(chars, 1))[position]),
        "position_ends_sentence": _as_column((sentences / count)[position]),
    }


def compute_from_title(count: int, title_block: int | None) -> Columns:
    """Return TITLE_FEATURES: the number of blocks from the title to each block; the maximum without a title."""
    if title_block is None:
        return {"from_title": np.full(count, _MAX_DISTANCE, np.float32)}
    distance = np.arange(count, dtype=np.float32) - title_block
    return {"from_title": np.clip(distance, -_MAX_DISTANCE, _MAX_DISTANCE)}


def _compute_neighbours(columns: Columns) -> Columns:
    """Return features of the blocks before and after each block, and the text around it."""
    near = {
        f"{name}_{step:+d}": _shift(columns[name], step) for name, steps in _NEIGHBOUR_STEPS.items() for step in steps
    }
    text = columns["chars"] * (1 - columns["link_share"])
    link_text = columns["chars"] * columns["link_share"]
    for reach in _NEIGHBOUR_REACHES:
        near[f"text_near_{reach}"] = _sum_around(text, reach)
        near[f"links_near_{reach}"] = _sum_around(link_text, reach)
    return near


def _shift(column: Column, step: int) -> Column:
    """Return the value of the block `step` blocks further on; 0 beyond the ends."""
    shifted = np.zeros_like(column)
    if abs(step) < len(column):
        if step > 0:
            shifted[:-step] = column[step:]
        else:
            shifted[-step:] = column[:step]
    return shifted


def _sum_around(column: Column, reach: int) -> Column:
    """Return the sum over each block and `reach` blocks on each side."""
    sums = np.concatenate(([0.0], np.cumsum(column, dtype=np.float64)))
    blocks = np.arange(len(column))
    return _as_column(sums[np.minimum(blocks + reach + 1, len(column))] - sums[np.maximum(blocks - reach, 0)])


def compute_score_features(groups: Groups, chars: Column, scores: NDArray[np.float64]) -> Columns:
    """Return SCORE_FEATURES for the second forest: scores of the first forest around each block and in its groups."""
    score = _as_column(scores)
    columns = {"score": score}
    columns |= {f"score_{step:+d}": _shift(score, step) for step in _SCORE_STEPS}
    weight = chars + _SHORT_BLOCK_WEIGHT
    for name, group in (("position", groups.position), ("container", groups.container)):
        means = np.bincount(group, weights=weight * score) / np.bincount(group, weights=weight)
        columns[f"score_{name}"] = _as_column(means[group])
    mass = score * chars  # expected characters of the body
    total = max(float(mass.sum()), 1.0)
    mass_until = np.cumsum(mass)
    columns["mass_before"] = _as_column((mass_until - mass) / total)
    columns["mass_after"] = _as_column((total - mass_until) / total)
    columns["mass"] = np.full(len(chars), total, np.float32)
    for reach in _SCORE_REACHES:
        near = _sum_around(mass, reach) / np.maximum(_sum_around(chars, reach), 1)
        columns[f"score_near_{reach}"] = _as_column(near)
    is_sure = (score > _MIN_SURE_SCORE) & (chars >= _MIN_PROSE_CHARS)
    columns["since_sure"] = _count_since(is_sure)
    columns["until_sure"] = _count_since(is_sure[::-1])[::-1].copy()
    return columns


def _count_since(is_marked: NDArray[np.bool_]) -> Column:
    """Return the number of blocks since the last marked one before each block, at most _MAX_DISTANCE."""
    blocks = np.arange(len(is_marked))
    last = np.maximum.accumulate(np.where(is_marked, blocks, _NO_BLOCK)) if len(blocks) else blocks
    before = np.concatenate(([_NO_BLOCK], last[:-1])) if len(blocks) else last
    return _as_column(np.minimum(blocks - before, _MAX_DISTANCE))
