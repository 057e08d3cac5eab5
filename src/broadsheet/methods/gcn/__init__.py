"""The method `gcn`."""

from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.method import Gcn, PublishedGcn, PublishedGcn2

__all__ = ["Gcn", "GcnConfig", "PublishedGcn", "PublishedGcn2"]
