"""Estimated boxes, without a browser."""
