"""Run a method on a page, and check its labels. Static blocks of a learned site are hidden from most methods.

A method that sets `labels_static_blocks` sees the whole page. Static text that it takes for the article is dropped
after it, except headings and blocks of which it is certain. `python -m benchmarks.site_mode exact` counts the pages
that were exact without the site and are not with it: 1 of 153 on four sets of pages.
"""

from __future__ import annotations

from dataclasses import replace

from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels, Reason, Role, select_blocks, tags
from broadsheet.kernel.selection import find_members
from broadsheet.methods.registry import ExplainingMethod, Method
from broadsheet.page import TEXT, Page

_MIN_STATIC_CHARS = 25  # a shorter one that the method keeps is a label over text: "Story highlights"
_MAX_STATIC_SCORE = 0.95  # static text with a higher score stays: an article that other pages quote
# The effect stands for certainty: it is no sum of features.
_STATIC: tuple[Reason, ...] = (Reason("static text of the site", -20.0),)


def label_blocks(method: Method, page: Page, blocks: Blocks) -> Labels:
    """Label all blocks. Static blocks are boilerplate; the method labels the rest, or all of them."""
    if getattr(method, "labels_static_blocks", False):
        return _drop_static(page, blocks, method.label(page, blocks).check(blocks, method.name))
    dynamic = _find_dynamic(page, blocks)
    if not dynamic:
        return method.label(page, blocks).check(blocks, method.name)
    selection = select_blocks(page, blocks, dynamic)
    labels = method.label(page, selection).check(selection, method.name)
    roles = [Role.BOILERPLATE] * len(blocks)
    scores = [0.0] * len(blocks)
    for block, role, score in zip(dynamic, labels.roles, labels.scores, strict=True):
        roles[block], scores[block] = role, score
    spans = {dynamic[block]: kept for block, kept in labels.spans.items()}
    return replace(labels, roles=roles, scores=scores, spans=spans)


def _drop_static(page: Page, blocks: Blocks, labels: Labels) -> Labels:
    """Return the labels with static text as boilerplate; unchanged if all text is static: learned from copies."""
    if not page.static_rows:
        return labels
    content = find_members(labels.roles, CONTENT_ROLES)
    static = {
        block
        for block in content
        if labels.scores[block] <= _MAX_STATIC_SCORE
        and len(blocks.text[block]) >= _MIN_STATIC_CHARS
        and labels.roles[block] is not Role.HEADING
        and not blocks.has(block, tags.HEADING)
        and is_static(page, blocks, block)
    }
    if not static or len(static) == len(content):
        return labels
    roles = [Role.BOILERPLATE if block in static else role for block, role in enumerate(labels.roles)]
    return replace(labels, roles=roles)


def explain_labels(method: Method, page: Page, blocks: Blocks, labels: Labels) -> Labels:
    """Return the labels of `label_blocks` with reasons, if the method can give them."""
    if not isinstance(method, ExplainingMethod):
        return labels
    if getattr(method, "labels_static_blocks", False):
        reasons_of_method = method.explain(page, blocks, labels)
        return replace(
            labels,
            reasons=[
                _STATIC
                if labels.roles[block] not in CONTENT_ROLES and is_static(page, blocks, block)
                else block_reasons
                for block, block_reasons in enumerate(reasons_of_method)
            ],
        )
    dynamic = _find_dynamic(page, blocks)
    if not dynamic:
        return replace(labels, reasons=method.explain(page, blocks, labels))
    roles, scores = [labels.roles[block] for block in dynamic], [labels.scores[block] for block in dynamic]
    selected = replace(labels, roles=roles, scores=scores)
    dynamic_reasons = method.explain(page, select_blocks(page, blocks, dynamic), selected)
    reasons = [_STATIC] * len(blocks) if dynamic_reasons else []
    for block, block_reasons in zip(dynamic, dynamic_reasons, strict=False):
        reasons[block] = block_reasons
    return replace(labels, reasons=reasons)


def _find_dynamic(page: Page, blocks: Blocks) -> list[int]:
    """Return the blocks that are not static; none if no site is known, or if all are: learned from copies of a page."""
    return [block for block in range(len(blocks)) if not is_static(page, blocks, block)] if page.static_rows else []


def is_static(page: Page, blocks: Blocks, block: int) -> bool:
    """Tell whether all text of a block belongs to the site's template."""
    nodes, static, rows = page.nodes, page.static_rows, blocks.rows[block]
    if rows[0] not in static or len(rows) == 1:
        return rows[0] in static
    return all(row in static or nodes.tag[row] != TEXT or nodes.text[row].isspace() for row in rows)
