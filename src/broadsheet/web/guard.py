"""Addresses that may be fetched: http and https with a host, and what the address guard allows.

A page, a redirect or a style sheet can name an address inside the network of the machine that fetches it: a router, a
database, the metadata service of a cloud. The guard refuses these. It checks the address before a request, and the IP
address after the name lookup and before the connection, for every request and every redirect.
"""

from __future__ import annotations

import contextlib
import re
import socket
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from broadsheet.errors import FetchError, RefusedAddress
from broadsheet.option_field import option

_PANEL = "Fetching"
_PASSWORD = re.compile(r"(?<=://)([^/?#@\s:]*):[^/?#\s]*@")
_DEFAULT_PORTS = {"http": 80, "https": 443}
# Networks that `ipaddress` counts as global, in all or in older versions of Python.
_SPECIAL_NETWORKS = tuple(
    ip_network(network)
    for network in (
        # IPv6 addresses that contain an IPv4 address, and so can lead to a private one:
        "::/96",  # IPv4-compatible
        "::ffff:0:0/96",  # IPv4-mapped
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",  # NAT64, local use
        "2001::/23",  # IETF protocol assignments, Teredo among them
        "2002::/16",  # 6to4
        # Others of the IANA registries of special-purpose addresses:
        "192.0.0.0/24",  # IETF protocol assignments
        "192.88.99.0/24",  # 6to4 relays
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
        "fec0::/10",  # site-local
    )
)


def is_address(text: str) -> bool:
    """Return whether a text is an http or https address, as opposed to a file name."""
    return text[:8].lower().startswith(("http://", "https://"))


def find_fault(address: str) -> str | None:
    """Return why an address cannot be fetched, or None if it can."""
    if not is_address(address):
        return "only http and https addresses can be fetched; write https://..."
    try:
        parts = urlsplit(address.strip())
        _ = parts.port  # raises ValueError if it is not a number
    except ValueError:
        return "not a valid address"
    return None if parts.hostname else "the address has no host; write https://host/path"


def hide_passwords(text: str) -> str:
    """Replace the passwords of addresses in a text: `https://user:***@host/`."""
    return _PASSWORD.sub(r"\1:***@", text) if "@" in text else text


@dataclass(frozen=True, slots=True)
class AddressGuard:
    """Rules for the addresses that may be fetched."""

    allow_private: bool = option(
        False, "Also fetch from private addresses and other ports, such as http://localhost:8000.", panel=_PANEL
    )
    # The proxy connects, so only addresses can be checked.
    use_proxy: bool = option(
        False, "Use the proxy of the environment (http_proxy, https_proxy, no_proxy).", panel=_PANEL
    )
    advice: str = "pass --allow-private (allow_private=True) to fetch it"  # for private addresses
    extra_ports: frozenset[int] = frozenset()  # besides 80 and 443: ports in an address that the user gave

    def allow_ports_of(self, *addresses: str | None) -> AddressGuard:
        """Return a guard that also allows the ports of addresses that the user gave."""
        ports = {port for address in addresses if address and (port := _find_port(address))}
        return replace(self, extra_ports=self.extra_ports | ports)

    def check_address(self, address: str) -> None:
        """Raise FetchError for an address that may not be fetched, whatever its host resolves to."""
        if fault := find_fault(address):
            raise FetchError(fault)
        parts = urlsplit(address.strip())
        if parts.username is not None or parts.password is not None:
            raise RefusedAddress("addresses with a user name or password are not fetched; remove them")
        self._check_literal_ip(_find_sent_host(address))
        port = _DEFAULT_PORTS[parts.scheme.lower()] if parts.port is None else parts.port
        if not self.allow_private and port not in {*_DEFAULT_PORTS.values(), *self.extra_ports}:
            raise RefusedAddress(f"port {port} is not allowed here; only ports 80 and 443 are")

    def _check_literal_ip(self, host: str) -> None:
        """Check an IP address in any spelling, and localhost, at once: with a proxy there is no lookup."""
        name = host.rstrip(".").lower()
        if name == "localhost" or name.endswith(".localhost"):
            self.check_ips(host, ["127.0.0.1"])
        try:
            ip_address(name.partition("%")[0])
        except ValueError:
            with contextlib.suppress(OSError, ValueError):  # decimal, hexadecimal and short forms, such as 127.1
                self.check_ips(host, [socket.inet_ntoa(socket.inet_aton(name))])
            return
        self.check_ips(host, [name])

    def check_ips(self, host: str, ips: list[str]) -> None:
        """Raise FetchError unless all IP addresses of a host are public."""
        if not self.allow_private and not all(map(is_public, ips)):
            raise RefusedAddress(f"{host} is a private or reserved address; {self.advice}")


DEFAULT_GUARD = AddressGuard()


def is_public(ip: str) -> bool:
    """Return whether an IP address is on the public internet."""
    try:
        address = ip_address(ip.partition("%")[0])  # without the zone of a link-local address
    except ValueError:
        return False
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    return not any(address in network for network in _SPECIAL_NETWORKS)


def _find_sent_host(address: str) -> str:
    """Return the host as it is sent, with ASCII dots and letters: by the parser that sends the request."""
    import httpx  # imported here: only programs that fetch need it

    try:
        return httpx.URL(address.strip()).raw_host.decode("ascii")
    except (httpx.InvalidURL, UnicodeError) as error:
        raise FetchError("not a valid address") from error


def _find_port(address: str) -> int | None:
    try:
        return urlsplit(address.strip()).port
    except ValueError:
        return None
