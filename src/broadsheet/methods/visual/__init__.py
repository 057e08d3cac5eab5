"""Looks without a browser: what is shown how, and where, tells title, date and body."""

from __future__ import annotations

from broadsheet.methods.visual.config import VisualConfig

__all__ = ["VisualConfig"]
