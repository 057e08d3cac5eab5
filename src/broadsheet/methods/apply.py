"""Run a method on a page: check its labels, and hide static blocks of a learned site from it."""

from __future__ import annotations

from dataclasses import replace

from broadsheet.blocks import Blocks, Labels, Reason, Role, select_blocks
from broadsheet.methods.method import ExplainingMethod, Method
from broadsheet.page import TEXT, Page

# The method never sees static blocks. The effect stands for certainty.
_STATIC: tuple[Reason, ...] = (Reason("static text of the site", -20.0),)


def label_blocks(method: Method, page: Page, blocks: Blocks, *, explain: bool = False) -> Labels:
    """Label all blocks. Static blocks are boilerplate; the method labels the rest.

    With `explain`, the labels have reasons, if the method can give them.
    """
    dynamic = [block for block in range(len(blocks)) if not is_static(page, blocks, block)] if page.static_rows else []
    if not dynamic:  # no site is known, or all blocks are static: the site was learned from copies of this page
        return _label(method, page, blocks, explain=explain)
    selection = select_blocks(page, blocks, dynamic)
    labels = _label(method, page, selection, explain=explain)
    roles = [Role.BOILERPLATE] * len(blocks)
    scores = [0.0] * len(blocks)
    for block, role, score in zip(dynamic, labels.roles, labels.scores, strict=True):
        roles[block], scores[block] = role, score
    reasons = [_STATIC] * len(blocks) if labels.reasons else []
    for block, block_reasons in zip(dynamic, labels.reasons, strict=False):
        reasons[block] = block_reasons
    return replace(labels, roles=roles, scores=scores, reasons=reasons)


def _label(method: Method, page: Page, blocks: Blocks, *, explain: bool) -> Labels:
    labels = method.label(page, blocks).check(blocks, method.name)
    if not explain or not isinstance(method, ExplainingMethod):
        return labels
    return replace(labels, reasons=method.explain(page, blocks, labels))


def is_static(page: Page, blocks: Blocks, block: int) -> bool:
    """Tell whether all text of a block belongs to the site's template."""
    nodes, static, rows = page.nodes, page.static_rows, blocks.rows[block]
    if rows[0] not in static or len(rows) == 1:
        return rows[0] in static
    return all(row in static or nodes.tag[row] != TEXT or nodes.text[row].isspace() for row in rows)
