"""Looks of a page: computed styles without a browser, or from one; estimated boxes, or a browser's own."""

from broadsheet.style.css.styles import BOLD_FROM, Styles, compute_styles
from broadsheet.style.layout.boxes import Boxes, find_boxes

__all__ = ["BOLD_FROM", "Boxes", "Styles", "compute_styles", "find_boxes"]
