"""HTTP status codes that mean failure."""

from __future__ import annotations

from http.client import responses

from broadsheet.errors import FetchError

_REFUSALS = frozenset((401, 402, 403, 429, 451))


class StatusError(FetchError):
    """The server answered with a status other than success."""

    def __init__(self, code: int, retry_after: str = "") -> None:
        # The standard name of the status: the name in the response can be any text.
        name = responses.get(code, "")
        super().__init__(f"the server answered {code} {name}".rstrip() + f"; {_advise(code)}")
        self.code = code
        self.retry_after = retry_after  # the header


def _advise(code: int) -> str:
    if code in _REFUSALS:
        return "it refuses automated requests: save the page in a browser and pass the file"
    return "try again later" if code >= 500 else "check the address"
