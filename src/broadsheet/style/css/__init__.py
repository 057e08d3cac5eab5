"""Computed styles from the style sheets of a page, without a browser."""

from broadsheet.style.css.sheets import list_imported_urls, list_linked_urls
from broadsheet.style.css.styles import MIN_BOLD_WEIGHT, StyleColumns, Styles, compute_styles

__all__ = [
    "MIN_BOLD_WEIGHT",
    "StyleColumns",
    "Styles",
    "compute_styles",
    "list_imported_urls",
    "list_linked_urls",
]
