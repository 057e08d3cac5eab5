"""A method at work on a page: its labels are checked, and what a known site says everywhere is hidden from it."""

from __future__ import annotations

from dataclasses import replace

from broadsheet.blocks import Blocks, Labels, Role
from broadsheet.blocks.headline import find_headline
from broadsheet.blocks.paths import LazyPaths
from broadsheet.methods.method import Method
from broadsheet.page import TEXT, Page


def label_blocks(method: Method, page: Page, blocks: Blocks) -> Labels:
    """Label all blocks: those that the site has on its other pages too are boilerplate, the rest is the method's."""
    seen = [at for at in range(len(blocks)) if not is_static(page, blocks, at)] if page.static_rows else []
    if not seen:  # no site is known; or nothing is left to judge: a page that it was learned from, many times over
        return method.label(page, blocks).check(blocks, method.name)
    chosen = _choose_blocks(page, blocks, seen)
    labels = method.label(page, chosen).check(chosen, method.name)
    roles = [Role.BOILERPLATE] * len(blocks)
    scores = [0.0] * len(blocks)
    for at, block in enumerate(seen):
        roles[block], scores[block] = labels.roles[at], labels.scores[at]
    return replace(labels, roles=roles, scores=scores)


def is_static(page: Page, blocks: Blocks, block: int) -> bool:
    """Tell whether all text of a block belongs to the site's template."""
    nodes, static, rows = page.nodes, page.static_rows, blocks.rows[block]
    if rows[0] not in static or len(rows) == 1:
        return rows[0] in static
    return all(row in static or nodes.tag[row] != TEXT or nodes.text[row].isspace() for row in rows)


def _choose_blocks(page: Page, blocks: Blocks, chosen: list[int]) -> Blocks:
    containers = [blocks.container[block] for block in chosen]
    texts = [blocks.text[block] for block in chosen]
    contexts = [blocks.context[block] for block in chosen]
    return Blocks(
        text=texts,
        rows=[blocks.rows[block] for block in chosen],
        first=[blocks.first[block] for block in chosen],
        last=[blocks.last[block] for block in chosen],
        container=containers,
        link_chars=[blocks.link_chars[block] for block in chosen],
        context=contexts,
        headline=find_headline(texts, contexts, page.metadata),
        places=LazyPaths(page.nodes, containers),
    )
