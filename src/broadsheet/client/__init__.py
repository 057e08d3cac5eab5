"""Clients of the service (`broadsheet serve`), for plain and for asynchronous programs.

`calls.py` writes requests, `answers.py` reads answers, `settings.py` has addresses, times and retries. `client.py` and
`async_client.py` only send. httpx is imported with them.
"""

from broadsheet.client.async_client import AsyncClient
from broadsheet.client.client import Client

__all__ = ["AsyncClient", "Client"]
