"""The method `visual`."""

from broadsheet.methods.visual.config import VisualConfig
from broadsheet.methods.visual.method import PublishedVisual, Visual

__all__ = ["PublishedVisual", "Visual", "VisualConfig"]
