"""The method `fusion`, the default."""

from broadsheet.methods.fusion.config import FusionConfig
from broadsheet.methods.fusion.method import Fusion

__all__ = ["Fusion", "FusionConfig"]
