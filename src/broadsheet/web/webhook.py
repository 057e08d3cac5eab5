"""Webhooks: send JSON to an address that the user configured."""

from __future__ import annotations

import httpx

from broadsheet.errors import FetchError
from broadsheet.version import __version__
from broadsheet.web.address import hide_passwords
from broadsheet.web.explain import explain_error
from broadsheet.web.status import StatusError

_MAX_SECONDS = 10.0


def post_json(address: str, text: str) -> None:
    """Send JSON text. Raises FetchError unless the server answers with success.

    The address may be private, because the user chose it. Redirects are not followed.
    """
    headers = {"Content-Type": "application/json", "User-Agent": f"Broadsheet/{__version__}"}
    content = text.encode("utf-8", "replace")
    try:
        with httpx.Client(timeout=_MAX_SECONDS, trust_env=False) as client:
            response = client.post(address, content=content, headers=headers)
        if not response.is_success:
            raise StatusError(response.status_code)
    except Exception as error:  # the border to the network
        reason = hide_passwords(explain_error(error, _MAX_SECONDS))
        raise FetchError(f"cannot post to {hide_passwords(address)}: {reason}") from error
