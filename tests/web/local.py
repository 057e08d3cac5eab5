"""Fetching from servers on this machine, which the address guard refuses by default."""

from __future__ import annotations

from functools import partial

from broadsheet.web import AddressGuard
from broadsheet.web import fetch_page as fetch_public_page
from broadsheet.web import fetch_sheets as fetch_public_sheets

__all__ = ["LOCAL", "fetch_page", "fetch_public_page", "fetch_sheets"]

LOCAL = AddressGuard(allow_private=True)
fetch_page = partial(fetch_public_page, guard=LOCAL)
fetch_sheets = partial(fetch_public_sheets, guard=LOCAL)
