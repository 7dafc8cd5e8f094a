"""Hostile people: each session begins interviews and sends requests about them, all by its seed and its number."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from scripts.fuzzing.catalogues import catalogue
from scripts.fuzzing.http import Reply, Request
from scripts.fuzzing.rules import Vocabulary, any_rule
from scripts.fuzzing.values import encoded, hostile_text, hostile_value, spoilt, spoilt_bytes, spoilt_text

API = "/api/v1"
TOKEN = "the-owner-of-the-fuzzed-server"
READ = ("", "/question", "/answers", "/changes", "/recommendation", "/export", "/catalogue")
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW", "get", "P" * 300)
PLACES = (
    *("/", "/c/tea", "/i/x", "/owner", "/static/app.js", "/static/../app.py", "/static/%2e%2e/x", "/health", "/ready"),
    *("/metrics", "/api/v1/openapi.json", "/api/v1/catalogues", "/api/v1/catalogues/tea", "/favicon.ico", "//", "*"),
    *("/%00", "/%ff%fe", "/%", "/api/v1/interviews/", "http://elsewhere/api/v1/catalogues", "/a" * 3000, "/ä"),
)
TYPES = ("text/plain", "application/xml", "application/json; charset=utf-16", "multipart/form-data", "a/b;" * 90, "")
RAW = (
    b"\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET / HTTP/1.0\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"POST /api/v1/interviews HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    b"POST /api/v1/interviews HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
    b"POST /api/v1/interviews HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n{}",
    b"POST /api/v1/interviews HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\n{}",
    b"GET / HTTP/1.1\r\nHost: a\r\nA: " + b"x" * 40_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n A: folded\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nA\x00: b\r\n\r\n",
)


@dataclass
class Opened:
    """An interview as the session last saw it."""

    state: dict[str, Any]
    words: Vocabulary

    @property
    def path(self) -> str:
        """Where it is."""
        return f"{API}/interviews/{self.state['id']}"


class Session:
    """The requests of one session; replies tell it how to go on."""

    def __init__(self, seed: int, number: int, words: dict[str, Vocabulary]) -> None:
        self._seed, self._number = seed, number
        self._draw = random.Random(f"session {seed} {number}")
        self._words, self._opened = words, list[Opened]()
        self._asked: list[str] = []
        """Ids of questions, of all interviews of this session."""
        self._count = 0

    def run(self, requests: int, send: Callable[[Request], Reply]) -> None:
        """Send so many requests, one after the other."""
        for _ in range(requests):
            self._count += 1
            request = self._next()
            self._learn(send(request))

    def _next(self) -> Request:
        """The next request, spoilt or not."""
        draw = self._draw
        if not self._opened and self._count % 4 == 1:
            return self._start()
        kind = draw.random()
        if kind < 0.03:
            return Request("GET", "/", raw=draw.choice(RAW), is_whole=False)
        if kind < 0.13:
            return self._spoilt(Request(draw.choice(METHODS[:7]), draw.choice(PLACES), self._headers()))
        if kind < 0.17:
            return self._owner()
        if kind < 0.2 or not self._opened:
            return self._spoilt(self._start()) if draw.random() < 0.7 else self._start()
        about = draw.choice(self._opened)
        request = self._about(about)
        return self._spoilt(request) if draw.random() < 0.55 else request

    def _headers(self) -> tuple[tuple[str, str], ...]:
        return (("Host", "127.0.0.1"),)

    def _with(self, method: str, target: str, document: Any) -> Request:
        if self._draw.random() < 0.45:
            document = spoilt(self._draw, document)
        return Request(method, target, (*self._headers(), ("Content-Type", "application/json")), encoded(document))

    def _start(self) -> Request:
        """A new interview, under a key so that it has the same id when the session runs again."""
        draw = self._draw
        name = draw.choice(list(self._words))
        body: dict[str, Any] = {"catalogue": name, "seed": draw.randrange(5)}
        if draw.random() < 0.5:
            body["must_haves"] = [any_rule(draw, self._words[name]) for _ in range(draw.choice([1, 1, 2, 6, 50]))]
        if draw.random() < 0.4:
            choices: dict[str, list[Any]] = {
                "strategy": ["random", "bayes", "bayes", "setmargin"],
                "set_size": [2, 3, 4, 6, 7],
                "policy": ["conversation", "comparisons", "any"],
                "differences": [1, 2, 5, 2001],
                "until": [0, 0.03, 0.999, 1],
            }
            key = draw.choice(list(choices))
            body[key] = draw.choice(choices[key])
        spoil = len(self._opened) > 0 and draw.random() < 0.5
        document = spoilt(draw, body) if spoil else body
        headers = (*self._headers(), ("Content-Type", "application/json"))
        key = f"session-{self._seed:06}-{self._number:06}-{self._count:03}"
        return Request("POST", f"{API}/interviews", headers, encoded(document)).with_header("Idempotency-Key", key)

    def _about(self, one: Opened) -> Request:
        """Something that a person may want of an interview."""
        draw, version = self._draw, one.state["version"]
        version += draw.choice([0, 0, 0, 0, 0, 0, 0, -1, 1])
        kind = draw.random()
        if kind < 0.35:
            return Request("GET", one.path + draw.choice(READ), self._headers())
        if kind < 0.65:
            body = {"version": version, "answer": self._answer(one)} | self._question(one)
            if draw.random() < 0.15:
                number = draw.choice([0, 1, 1, 2, 3, 99, 2**53, 2**64])
                return self._with("PUT", f"{one.path}/answers/{number}", body)
            return self._with("POST", f"{one.path}/answers", body)
        if kind < 0.8:
            rule = any_rule(draw, one.words)
            return self._with("POST", f"{one.path}/must-haves", {"version": version, "rule": rule})
        if kind < 0.84:
            rule = draw.choice([*one.state["must_haves"], any_rule(draw, one.words)])
            text = quote(rule, safe="", errors="replace")
            return Request("DELETE", f"{one.path}/must-haves?version={version}&rule={text}", self._headers())
        if kind < 0.9:
            return self._with("POST", f"{one.path}/adjustments", {"version": version, **self._change(one)})
        if kind < 0.96:
            return self._with("POST", f"{one.path}/undo", {"version": version})
        values = one.state["best"]["values"]
        taken = (
            {} if draw.random() < 0.5 else {"configuration": spoilt(draw, values) if draw.random() < 0.5 else values}
        )
        return self._with("POST", f"{one.path}/finish", {"version": version, **taken})

    def _question(self, one: Opened) -> dict[str, Any]:
        """The id of the question that is asked, or of another one, or none."""
        asked = one.state["question"]
        kind = self._draw.random()
        if kind < 0.2:
            return {}
        if kind < 0.35:
            return {"question": self._draw.choice([*self._asked, hostile_text(self._draw)])}
        return {"question": asked["id"]} if asked else {}

    def _answer(self, one: Opened) -> dict[str, Any]:
        """Of every kind."""
        draw = self._draw
        asked = one.state["question"] or {"options": [{}, {}], "differing": []}
        places = list(range(len(asked["options"])))
        because = draw.sample(asked["differing"], min(len(asked["differing"]), draw.choice([0, 0, 1, 2])))
        reasons = {"because": because} if because else {}
        return draw.choice(
            [
                {"choice": draw.choice(places), **reasons},
                {"choice": draw.choice([*places, 5, 6, -1]), **reasons},
                {"ranking": draw.sample(places, len(places)), **reasons},
                {"equal": True, **reasons},
                {"skip": True},
                {"change": {**self._change(one), "option": draw.choice([0, *places])}},
                {"choice": 0, "because": [draw.choice(list(one.words.attributes))]},
            ]
        )

    def _change(self, one: Opened) -> dict[str, Any]:
        draw = self._draw
        name, values = draw.choice(list(one.words.attributes.items()))
        quantity = {"name": draw.choice(one.words.quantities)} if one.words.quantities else {}
        return draw.choice([{"name": name, "value": draw.choice(values)}, {"name": name}, quantity, {}])

    def _owner(self) -> Request:
        """What the owner may do, with the right token or a wrong one."""
        draw = self._draw
        token = TOKEN if draw.random() < 0.8 else draw.choice([TOKEN[:-1], "ä", "", "a b c", TOKEN * 50])
        headers = (*self._headers(), ("Authorization", f"Bearer {token}"))
        kind = draw.random()
        if kind < 0.5:
            content = catalogue(self._seed, draw.randrange(10_000))
            if draw.random() < 0.7:
                return Request("POST", f"{API}/catalogues/check", headers, content)
            name = f"own-{draw.randrange(4)}"
            content = re.sub(rb"^catalogue: .*", f"catalogue: {name}".encode(), content, flags=re.MULTILINE)
            return Request("PUT", f"{API}/catalogues/{name}", headers, content)
        if kind < 0.6 and self._opened:
            gone = self._opened.pop(draw.randrange(len(self._opened)))
            return Request("DELETE", f"{API}/owner/interviews/{gone.state['id']}", headers)
        since = quote(draw.choice(["2020-01-01", "x", "9" * 400, "2020-01-01T00:00:00+99:99", "-1", "1e308", "NaN"]))
        where = (
            f"/owner/summary?since={since}",
            "/owner/priors",
            f"/owner/priors/tea/{draw.choice([0, 1, 2**31, 'x'])}",
            f"/owner/priors/{quote(hostile_text(draw)[:100], safe='', errors='replace')}/1",
        )
        if draw.random() < 0.2:
            days = draw.choice(["nan", "inf", "-1", "0", "1e400", "36501", "36500", "x", ""])
            return Request("DELETE", f"{API}/owner/interviews?days={days}", headers)
        return Request("GET", f"{API}{draw.choice(where)}", headers)

    def _spoilt(self, request: Request) -> Request:
        """The request with something wrong about its method, address, headers or body."""
        draw, kind = self._draw, self._draw.random()
        if kind < 0.12:
            return replace(request, method=draw.choice(METHODS))
        if kind < 0.3:
            return replace(request, target=self._spoilt_target(request.target))
        if kind < 0.45:
            return self._spoilt_header(request)
        if kind < 0.5:
            place = draw.randrange(len(request.encoded()) + 1)
            return replace(request, raw=request.encoded()[:place], is_whole=False)
        if kind < 0.55:
            return replace(request.with_header(*draw.choice(CONTRADICTIONS)), is_whole=False)
        if request.body:
            return replace(request, body=spoilt_bytes(draw, request.body)[:100_000])
        return replace(request, body=encoded(hostile_value(draw)))

    def _spoilt_target(self, target: str) -> str:
        draw = self._draw
        kind = draw.randrange(4)
        if kind == 0:
            others = [one.state["id"] for one in self._opened]
            parts = target.split("/")
            parts[draw.randrange(len(parts))] = draw.choice(
                [*others, quote(hostile_text(draw)[:300], errors="replace")]
            )
            return "/".join(parts)
        if kind == 1:
            return target + draw.choice(
                ["/", "//", "?", "?a=b&a=b", "#x", "%00", ";x", "?" + "a" * 5000, "%2f..", "/.."]
            )
        return quote(spoilt_text(draw, target), safe="/%?&=", errors="replace") or "/"

    def _spoilt_header(self, request: Request) -> Request:
        draw = self._draw
        kind = draw.randrange(6)
        if kind == 0:
            rest = tuple(each for each in request.headers if each[0] != "Content-Type")
            return replace(request, headers=rest).with_header("Content-Type", draw.choice(TYPES))
        if kind == 1:
            key = quote(hostile_text(draw)[:200], errors="replace")
            return request.with_header("Idempotency-Key", key or "x")
        if kind == 2:
            return request.with_header("Host", draw.choice(["", "elsewhere", "127.0.0.1:99999", "[::1]", "a b"]))
        names = ("Accept", "Accept-Encoding", "Content-Encoding", "Expect", "Range", "If-None-Match", "X-Request-ID")
        more = ("X-Forwarded-For", "Upgrade", "Connection", "Cookie", "Origin", "Authorization", "If-Modified-Since")
        values = (
            "*",
            "gzip",
            "100-continue",
            "bytes=0-0,5-9",
            "bytes=-99999",
            "close",
            "websocket",
            "1.2.3.4, ::1",
            "",
        )
        value = draw.choice([*values, "x" * 2000, quote(hostile_text(draw)[:200], errors="replace")])
        return request.with_header(draw.choice(names + more), value)

    def _learn(self, reply: Reply) -> None:
        """Go on from what came back."""
        if reply.status not in (200, 201) or b'"undo_of"' not in reply.body:
            return
        try:
            state = json.loads(reply.body)
            name = state["catalogue"]["name"]
        except (ValueError, KeyError, TypeError):
            return
        if state.get("question"):
            self._asked = [*self._asked[-20:], state["question"]["id"]]
        known = [one for one in self._opened if one.state["id"] == state["id"]]
        if known:
            known[0].state = state
        elif name in self._words:
            self._opened = [*self._opened[-2:], Opened(state, self._words[name])]


CONTRADICTIONS: Sequence[tuple[str, str]] = (
    ("Content-Length", "5"),
    ("Content-Length", "99999999999999999999999"),
    ("Content-Length", "ten"),
    ("Transfer-Encoding", "chunked"),
    ("Transfer-Encoding", "gzip"),
    ("Connection", "close"),
)
