"""Clients of the service (`broadsheet serve`), for plain and for asynchronous programs.

`calls.py` writes requests, `attempts.py` says when one is sent again and reads its answer, `clients.py` only sends.
httpx is imported with them.
"""

from broadsheet.client.clients import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
