"""Run a method on a page: check its labels, and hide static blocks of a learned site from it."""

from __future__ import annotations

from dataclasses import replace

from broadsheet.blocks import Blocks, Labels, Reason, Role, select_blocks
from broadsheet.methods.registry import ExplainingMethod, Method
from broadsheet.page import TEXT, Page

# The method never sees static blocks. The effect stands for certainty.
_STATIC: tuple[Reason, ...] = (Reason("static text of the site", -20.0),)


def label_blocks(method: Method, page: Page, blocks: Blocks) -> Labels:
    """Label all blocks. Static blocks are boilerplate; the method labels the rest."""
    dynamic = _find_dynamic(page, blocks)
    if not dynamic:
        return method.label(page, blocks).check(blocks, method.name)
    selection = select_blocks(page, blocks, dynamic)
    labels = method.label(page, selection).check(selection, method.name)
    roles = [Role.BOILERPLATE] * len(blocks)
    scores = [0.0] * len(blocks)
    for block, role, score in zip(dynamic, labels.roles, labels.scores, strict=True):
        roles[block], scores[block] = role, score
    return replace(labels, roles=roles, scores=scores)


def explain_labels(method: Method, page: Page, blocks: Blocks, labels: Labels) -> Labels:
    """Return the labels of `label_blocks` with reasons, if the method can give them."""
    if not isinstance(method, ExplainingMethod):
        return labels
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
