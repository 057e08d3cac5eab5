"""Fetching many addresses politely: robots.txt, delays, retries, conditional requests."""

from broadsheet.web.polite.client import PoliteClient, Reply
from broadsheet.web.polite.settings import PoliteSettings

__all__ = ["PoliteClient", "PoliteSettings", "Reply"]
