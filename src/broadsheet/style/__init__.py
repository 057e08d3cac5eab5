"""Styles and boxes of a page's nodes: computed from its style sheets, or taken from a browser."""

from broadsheet.style.css import MIN_BOLD_WEIGHT, Styles, compute_styles
from broadsheet.style.layout import Boxes, find_boxes

__all__ = ["MIN_BOLD_WEIGHT", "Boxes", "Styles", "compute_styles", "find_boxes"]
