"""The method `gcn`."""

from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.method import Gcn, PublishedGcn

__all__ = ["Gcn", "GcnConfig", "PublishedGcn"]
