"""A method at work on a page of a known site: what the site's template says everywhere is hidden from it."""

from __future__ import annotations

from dataclasses import replace

from broadsheet.blocks import Blocks, Labels, Role
from broadsheet.blocks.places import LazyPlaces
from broadsheet.methods.method import Method
from broadsheet.page import Page


def label_blocks(method: Method, page: Page, blocks: Blocks) -> Labels:
    """Label all blocks: those that the site has on its other pages too are boilerplate, the rest is the method's."""
    if not page.static_rows:
        return method.label(page, blocks).check(blocks, method.name)
    static = page.static_rows
    seen = [at for at, first in enumerate(blocks.first) if first not in static or not is_static(page, blocks, at)]
    if not seen:  # nothing is left to judge: the page is one that the site was learned from, many times over
        return method.label(page, blocks).check(blocks, method.name)
    shown = _choose_blocks(page, blocks, seen)
    labels = method.label(page, shown).check(shown, method.name)
    roles = [Role.BOILERPLATE] * len(blocks)
    scores = [0.0] * len(blocks)
    for at, block in enumerate(seen):
        roles[block], scores[block] = labels.roles[at], labels.scores[at]
    return replace(labels, roles=roles, scores=scores)


def is_static(page: Page, blocks: Blocks, block: int) -> bool:
    """Tell whether all text of a block belongs to the site's template."""
    static, text = page.static_rows, page.nodes.text
    return all(row in static or not text[row] or text[row].isspace() for row in blocks.rows[block])


def _choose_blocks(page: Page, blocks: Blocks, chosen: list[int]) -> Blocks:
    containers = [blocks.container[block] for block in chosen]
    return Blocks(
        text=[blocks.text[block] for block in chosen],
        rows=[blocks.rows[block] for block in chosen],
        first=[blocks.first[block] for block in chosen],
        last=[blocks.last[block] for block in chosen],
        container=containers,
        link_chars=[blocks.link_chars[block] for block in chosen],
        meaning=[blocks.meaning[block] for block in chosen],
        places=LazyPlaces(page.nodes, containers),
    )
