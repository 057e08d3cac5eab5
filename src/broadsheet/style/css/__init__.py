"""Computed styles from the style sheets of a page, without a browser."""

from broadsheet.style.css.computed import ComputedStyles, compute_styles
from broadsheet.style.css.sheets import list_imported_urls, list_linked_urls
from broadsheet.style.css.styles import MIN_BOLD_WEIGHT, StyleColumns, Styles

__all__ = [
    "MIN_BOLD_WEIGHT",
    "ComputedStyles",
    "StyleColumns",
    "Styles",
    "compute_styles",
    "list_imported_urls",
    "list_linked_urls",
]
