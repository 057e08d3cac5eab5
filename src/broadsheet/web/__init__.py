"""Pages and style sheets over HTTP. httpx is imported on the first fetch, not before."""

from broadsheet.web.address import find_fault, hide_passwords, is_address
from broadsheet.web.fetch import FetchedPage, fetch_page
from broadsheet.web.guard import DEFAULT_GUARD, AddressGuard
from broadsheet.web.sheets import fetch_sheets

__all__ = [
    "DEFAULT_GUARD",
    "AddressGuard",
    "FetchedPage",
    "fetch_page",
    "fetch_sheets",
    "find_fault",
    "hide_passwords",
    "is_address",
]
