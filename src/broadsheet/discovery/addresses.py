"""Addresses of articles: the same article under several addresses is one find."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from broadsheet.page import host_of, resolve_address
from broadsheet.site import simplify_address
from broadsheet.web import find_fault

_DEFAULT_PORTS = {"http": 80, "https": 443}
# Parameters that count visits and name campaigns; the page is the same without them.
_TRACKING = re.compile(
    r"utm_\w+|pk_\w+|mtm_\w+|at_\w+|ns_\w+|hsa_\w+|mc_[ce]id|fbclid|gclid|dclid|gbraid|wbraid|msclkid|twclid|yclid|"
    r"igshid|_ga|_gl|cmp|cmpid|ito|ref_?src|ftag|smid|smtyp|xtor|wt[._]\w+|spm|soc_src|soc_trk|partner|ncid|outputtype",
    re.IGNORECASE,
)
_AMP_ENDING = re.compile(r"(?:/amp|\.amp(?=\.html?$))", re.IGNORECASE)


def resolve_link(address: str, base: str | None) -> str | None:
    """Return the absolute form of an address that can be fetched, else None."""
    absolute = resolve_address(address, base)
    return absolute if absolute and find_fault(absolute) is None else None


def clean_address(address: str) -> str:
    """Remove fragment, tracking parameters and default port; write scheme and host in lower case."""
    parts = urlsplit(address.strip())
    query = parts.query
    if query:
        pairs = parse_qsl(query, keep_blank_values=True)
        kept = [(name, value) for name, value in pairs if not _TRACKING.fullmatch(name)]
        query = query if len(kept) == len(pairs) else urlencode(kept)
    host = parts.netloc.lower()
    if parts.port is not None and parts.port == _DEFAULT_PORTS.get(parts.scheme.lower()):
        host = host.removesuffix(f":{parts.port}")
    return urlunsplit((parts.scheme.lower(), host, parts.path or "/", query, ""))


def make_key(address: str) -> str:
    """Return the key by which addresses of the same article are equal.

    It has no scheme, "www.", final slash or AMP ending, and no percent-encoding.
    """
    key = unquote(simplify_address(clean_address(address)))
    return _AMP_ENDING.sub("", key) if _AMP_ENDING.search(key) and key.endswith(("/amp", ".html", ".htm")) else key


def is_same_site(address: str, host: str) -> bool:
    """Return whether an address is on the host or on a subdomain of it."""
    other = host_of(address)
    return other == host or other.endswith(f".{host}")
