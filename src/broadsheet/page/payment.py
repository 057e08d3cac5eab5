"""Whether a page states or shows that its article is not free."""

from __future__ import annotations

import re

from broadsheet.page.metadata import Metadata
from broadsheet.page.nodes import Nodes

_PAID_TIERS = frozenset(("locked", "metered", "premium", "subscription", "paid"))
_PAID_VALUES = ("false", "no", "0")  # of isAccessibleForFree
_PAYWALL_WORDS = ("paywall", "regwall")
_NO_PAYWALL = re.compile(r"(?<![a-z])(?:no|non|off|free|without|hide|hidden)(?![a-z])", re.IGNORECASE)
_MAX_PAYWALLS = 20  # elements checked
_MAX_NAME_CHARS = 400  # of class and id


def is_paid(metadata: Metadata) -> bool:
    """Tell whether the metadata mark the article as not free."""
    stated = (item.values.get("isAccessibleForFree") for item in (*metadata.articles, *metadata.pages))
    if any(str(value).strip().lower() in _PAID_VALUES for value in stated):
        return True
    return any(tier.strip().lower() in _PAID_TIERS for tier in metadata.meta_texts("article:content_tier"))


def shows_paywall(nodes: Nodes) -> bool:
    """Tell whether an element with text has "paywall" in its class or id, but not "no-paywall"."""
    for row in nodes.attrs.rows_containing(("class", "id"), _PAYWALL_WORDS)[:_MAX_PAYWALLS]:
        names = f"{nodes.attr(row, 'class')} {nodes.attr(row, 'id')}"[:_MAX_NAME_CHARS]
        if nodes.text_of(row).strip() and not _NO_PAYWALL.search(names):
            return True
    return False
