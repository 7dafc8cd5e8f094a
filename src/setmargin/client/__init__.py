"""Clients of the API: the same few verbs as an interview in Python.

    with Client("http://127.0.0.1:8000") as client:
        interview = client.start("bicycle", must_haves=["price <= 1500"])
        while (question := interview.ask()) is not None:
            interview.tell(0)               # the first option is the better one; or tell(0, because="price")
        print(interview.result().best.values)

`Client` needs nothing but the standard library; `AsyncClient` has the same verbs to be awaited, and needs httpx. What
is sent for each of them is written down once, in `calls.py`, and a test holds that against the server's OpenAPI
document. A request that got no reply is sent again under the same key, so that nothing happens twice.
"""

from __future__ import annotations

from setmargin.client.async_client import AsyncClient, AsyncRemoteInterview
from setmargin.client.client import Client, RemoteInterview
from setmargin.client.sending import ClientError

__all__ = ["AsyncClient", "AsyncRemoteInterview", "Client", "ClientError", "RemoteInterview"]
