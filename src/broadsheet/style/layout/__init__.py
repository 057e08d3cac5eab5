"""Boxes of a page's nodes, estimated without a browser."""

from broadsheet.style.layout.flow import Boxes, find_boxes

__all__ = ["Boxes", "find_boxes"]
