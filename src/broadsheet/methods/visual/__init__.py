"""The method `visual`."""

from broadsheet.methods.visual.config import VisualConfig
from broadsheet.methods.visual.method import Visual

__all__ = ["Visual", "VisualConfig"]
