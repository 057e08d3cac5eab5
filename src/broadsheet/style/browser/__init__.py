"""Styles and boxes from a real browser."""
