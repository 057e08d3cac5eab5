"""Corrections of scores, then of roles.

Scores (`SCORE_CORRECTIONS`), before the threshold of the page is chosen:

- A list is extracted whole or not at all: all its items get the same score.
- Other articles are dropped. Some pages continue with the articles that were published before, each in an `<article>`.
  The one with the headline is the article of the page; those beside it that have a heading of the same level are
  others. A network that judges blocks can hardly tell them apart. Without `<article>`, containers beside each other are
  as often sections of one text.

Roles (`ROLE_CORRECTIONS`), after the threshold: a page of prose always has a text; headings in doubt are added;
repeated paragraphs and headings at the end are dropped.

Roles of a page that is not an article and of which the network is unsure (`OTHER_PAGE_CORRECTIONS`), after the forests:
its text is its main content, which is more than prose. A block outside menus needs only a low score.

The corrections for all methods are in `article/corrections.py`: they need the title and the figures.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import CONTENT_ROLES, Blocks, Role, role_of_content, tags
from broadsheet.kernel.scores import find_likely, find_lowest_score
from broadsheet.kernel.selection import find_members
from broadsheet.methods.fusion.config import DEFAULT_CONFIG, FusionConfig
from broadsheet.methods.fusion.features import read_chars
from broadsheet.methods.fusion.network import BlockInput
from broadsheet.models.arrays import read_buffer, round_single
from broadsheet.page import Nodes, Page

Scores = NDArray[np.float32]

_LIST_TAGS = frozenset(tag for tag, context in tags.CONTEXT.items() if context == tags.LIST)
_TEXT_ROLES = CONTENT_ROLES - {Role.HEADING}  # headings alone are no text
_FILLING_ROLES = frozenset((Role.BOILERPLATE, Role.COMMENT))  # of blocks that may be the text of an empty page
_OUTSIDE_MAIN = tags.HIDDEN | tags.NAV | tags.HEADER | tags.FOOTER | tags.ASIDE | tags.FORM
_HEADING_OF_ARTICLE = tags.HEADING | tags.ARTICLE


def join_list_items(
    page: Page, blocks: Blocks, block_input: BlockInput, scores: Scores, config: FusionConfig = DEFAULT_CONFIG
) -> Scores:
    """Give the items of a list the same score. The items are the blocks of one position in the list."""
    likely = find_likely(read_buffer(scores), round_single(config.min_list_score), blocks.context, tags.LIST)
    if not likely:  # most pages
        return scores
    nodes, first, position = page.nodes, blocks.first, block_input.position
    item_positions: dict[int, set[int]] = {}  # row of a list -> positions of its items
    for block in likely:
        row = _find_list(nodes, blocks.container[block], config.max_list_depth)
        if row >= 0:
            item_positions.setdefault(row, set()).add(int(position[block]))
    if not item_positions:
        return scores
    joined, chars = scores.copy(), read_chars(block_input.features)
    for row, positions in item_positions.items():
        page.deadline.check()  # blocks of nested lists are visited once for each list
        start, stop = bisect_left(first, row), bisect_left(first, nodes.end[row])
        places = position[start:stop].tolist()
        items = zip(places, scores[start:stop].tolist(), chars[start:stop].tolist(), strict=True)
        means = _average_items(items, positions, config)
        for block, item_position in enumerate(places, start):
            if item_position in means:
                joined[block] = means[item_position]
    return joined


def _average_items(
    items: Iterable[tuple[int, float, float]], positions: set[int], config: FusionConfig
) -> dict[int, float]:
    """Return the mean score of each position with enough items. Items are positions, scores and lengths.

    Lists are short: a loop is faster than arrays.
    """
    sums = dict.fromkeys(positions, (0, 0.0, 0.0))  # number, weighted scores, characters
    for position, score, chars in items:
        if position in sums:
            count, total, weight = sums[position]
            sums[position] = count + 1, total + score**config.list_power * chars, weight + chars
    return {
        position: (total / weight) ** (1 / config.list_power)
        for position, (count, total, weight) in sums.items()
        if count >= config.min_list_items
    }


def _find_list(nodes: Nodes, container: int, max_depth: int) -> int:
    """Find the row of the innermost list around a block; -1 if there is none within `max_depth` containers."""
    tag, outer = nodes.tag, nodes.table.outer
    for _ in range(max_depth + 1):
        if container < 0 or tag[container] in _LIST_TAGS:
            return container
        container = outer[container]
    return -1


def find_other_articles(
    page: Page, blocks: Blocks, expected_chars: NDArray[np.float32], config: FusionConfig = DEFAULT_CONFIG
) -> list[int]:
    """Find the blocks of other articles, given the expected number of characters of article text of each block.

    The container with the headline must have text of its own: if it has only an introduction, the text is elsewhere.
    """
    dropped: set[int] = set()
    for headline_row, other_rows in _find_repeated_containers(page.nodes, blocks).items():
        if expected_chars[_find_blocks(page.nodes, blocks, headline_row)].sum() >= config.min_own_chars:
            for row in other_rows:
                other_blocks = _find_blocks(page.nodes, blocks, row)
                dropped.update(range(other_blocks.start, other_blocks.stop))
    return sorted(dropped)


def _find_repeated_containers(nodes: Nodes, blocks: Blocks) -> dict[int, set[int]]:
    """Find the rows of containers with the headline, and of those beside each of them that may be other articles.

    Both are an `<article>`, or contain one around their heading.
    """
    repeated: dict[int, set[int]] = {}
    if not _is_headline_in_article(blocks):
        return repeated
    around = []  # containers around the headline
    row = blocks.container[blocks.headline]
    while row >= 0:
        around.append(row)
        row = nodes.table.outer[row]
    level_of = {row: level for level, row in enumerate(around)}
    article_level = [nodes.tag[row] for row in around].index("article")
    for heading in _list_headings(blocks):
        if nodes.tag[heading] != nodes.tag[around[0]]:
            continue
        in_article, other, row = False, heading, heading
        while row >= 0 and row not in level_of:
            in_article |= nodes.tag[row] == "article"
            other, row = row, nodes.table.outer[row]
        if in_article and row >= 0 and level_of[row] > article_level:
            repeated.setdefault(around[level_of[row] - 1], set()).add(other)
    return repeated


def _is_headline_in_article(blocks: Blocks) -> bool:
    return blocks.headline >= 0 and blocks.context[blocks.headline] & _HEADING_OF_ARTICLE == _HEADING_OF_ARTICLE


def _list_headings(blocks: Blocks) -> set[int]:
    """Return the rows of the containers of headings in articles."""
    return {
        row
        for row, context in zip(blocks.container, blocks.context, strict=True)
        if context & _HEADING_OF_ARTICLE == _HEADING_OF_ARTICLE
    }


def _find_blocks(nodes: Nodes, blocks: Blocks, container: int) -> slice:
    return slice(bisect_left(blocks.first, container), bisect_left(blocks.first, nodes.end[container]))


def _drop_other_articles(
    page: Page, blocks: Blocks, block_input: BlockInput, scores: Scores, config: FusionConfig
) -> Scores:
    if not _is_headline_in_article(blocks):  # most pages
        return scores
    others = find_other_articles(page, blocks, scores * read_chars(block_input.features), config)
    corrected = scores.copy()
    corrected[others] = 0
    return corrected


def find_threshold(
    scores: NDArray[np.float32], chars: NDArray[np.float32], config: FusionConfig = DEFAULT_CONFIG
) -> float:
    """Find the score above which blocks of a page are article text, from the score and the length of each block.

    It maximises the expected F1 of the page. Where the network is certain, it is about 0.5. Where all scores are low,
    it is lower, so that the page still gives some text.
    """
    if config.threshold is not None:
        return config.threshold
    min_score = round_single(config.min_threshold)
    lowest_score = find_lowest_score(read_buffer(scores), read_buffer(chars), config.sharpness, min_score)
    threshold = float(np.nextafter(np.float32(lowest_score), np.float32(0)))
    return min(max(threshold, config.min_threshold), config.max_threshold)


def fill_empty_text(blocks: Blocks, roles: Sequence[Role], scores: Scores, config: FusionConfig) -> dict[int, Role]:
    """Find the main content of a page of prose of which no block reached the threshold, unless it was set by the user.

    These are pages unlike those of training, or threads whose first post was taken for a comment. The scores still
    rank their blocks: those count that are not far below the best prose.
    """
    if config.threshold is not None or not _TEXT_ROLES.isdisjoint(roles):  # most pages
        return {}
    shown = [
        block
        for block, role in enumerate(roles)
        if role in _FILLING_ROLES and not blocks.has(block, tags.HIDDEN | tags.NAV | tags.FOOTER)
    ]
    prose = [
        block
        for block in shown
        if len(blocks.text[block]) >= config.min_prose_block_chars
        and blocks.link_share(block) <= config.max_prose_link_share
    ]
    if sum(len(blocks.text[block]) for block in prose) < config.min_prose_chars:
        return {}
    lowest = config.prose_score_share * max(scores[prose].tolist())
    return {block: role_of_content(blocks, block) for block in shown if scores[block] >= lowest}


def add_main_content(blocks: Blocks, roles: Sequence[Role], scores: Scores, config: FusionConfig) -> dict[int, Role]:
    """Find the rest of the main content of a page that is not an article, unless the user set a threshold."""
    if config.threshold is not None:
        return {}
    return {
        block: role_of_content(blocks, block)
        for block, role in enumerate(roles)
        if role is Role.BOILERPLATE and scores[block] > config.min_main_score and not blocks.has(block, _OUTSIDE_MAIN)
    }


def add_headings(blocks: Blocks, roles: Sequence[Role], scores: Scores, config: FusionConfig) -> dict[int, Role]:
    """Find headings between blocks of the text that are in doubt: a section has its heading if it has its text."""
    return {
        block: role_of_content(blocks, block)
        for block in find_likely(
            read_buffer(scores), round_single(config.min_heading_score), blocks.context, tags.HEADING
        )
        if roles[block] is Role.BOILERPLATE
        and block + 1 < len(roles)
        and roles[block + 1] in CONTENT_ROLES
        and not blocks.has(block + 1, tags.HEADING)
        and not CONTENT_ROLES.isdisjoint(roles[max(block - config.max_heading_gap, 0) : block])
    }


def drop_repeated(blocks: Blocks, roles: Sequence[Role], _scores: Scores, config: FusionConfig) -> dict[int, Role]:
    """Find repeated paragraphs: sites repeat them for phones, for print, or as a teaser. Hidden copies may be short.

    A paragraph that comes again among the same elements, after and before other text, was repeated by the author.
    """
    dropped: dict[int, Role] = {}
    content = find_members(roles, CONTENT_ROLES)
    texts = [blocks.text[block] for block in content]
    first_places: dict[str, int] = {}
    for place, (block, text) in enumerate(zip(content, texts, strict=True)):
        first = first_places.setdefault(text, place)
        if first == place or len(text) < config.min_hidden_repeated_chars:
            continue
        if blocks.has(block, tags.HIDDEN) or (
            len(text) >= config.min_repeated_chars and not _is_refrain(blocks, content, texts, first, place)
        ):
            dropped[block] = Role.BOILERPLATE
    return dropped


def _is_refrain(blocks: Blocks, content: Sequence[int], texts: Sequence[str], first: int, place: int) -> bool:
    """Tell whether a text that comes again has the same elements around it, and other texts before and after it."""
    if not 0 < first < place - 1 < len(texts) - 2:  # the first or the last paragraph, or the next one
        return False
    is_in_same_place = blocks.tag_path[content[first]] == blocks.tag_path[content[place]]
    return is_in_same_place and texts[first - 1] != texts[place - 1] and texts[first + 1] != texts[place + 1]


def drop_last_headings(
    _blocks: Blocks, roles: Sequence[Role], _scores: Scores, _config: FusionConfig
) -> dict[int, Role]:
    """Find headings at the end of the text, such as "Related stories". A text of headings only is kept."""
    dropped: dict[int, Role] = {}
    for block in reversed(find_members(roles, CONTENT_ROLES)):
        if roles[block] is not Role.HEADING:
            return dropped
        dropped[block] = Role.BOILERPLATE
    return {}


CorrectScores = Callable[[Page, Blocks, BlockInput, Scores, FusionConfig], Scores]
CorrectRoles = Callable[[Blocks, Sequence[Role], Scores, FusionConfig], dict[int, Role]]  # block -> its new role
SCORE_CORRECTIONS: tuple[CorrectScores, ...] = (join_list_items, _drop_other_articles)
ROLE_CORRECTIONS: tuple[CorrectRoles, ...] = (fill_empty_text, add_headings, drop_repeated, drop_last_headings)
OTHER_PAGE_CORRECTIONS: tuple[CorrectRoles, ...] = (add_main_content, drop_repeated, drop_last_headings)
