"""Pages and style sheets over HTTP. httpx is imported on the first fetch, not before."""

from broadsheet.web.fetch import FetchedPage, fetch_page, fetch_sheets
from broadsheet.web.guard import DEFAULT_GUARD, AddressGuard, find_fault, hide_passwords, is_address
from broadsheet.web.settings import PoliteSettings

__all__ = [
    "DEFAULT_GUARD",
    "AddressGuard",
    "FetchedPage",
    "PoliteSettings",
    "fetch_page",
    "fetch_sheets",
    "find_fault",
    "hide_passwords",
    "is_address",
]
