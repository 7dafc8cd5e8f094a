"""How long it takes to open a long interview cold: with nothing kept of it, with what is kept, and to undo in it.

    python scripts/long_interviews.py                      # 1,000 answers on pc
    python scripts/long_interviews.py --answers 200 --catalogue laptop

The interview is written into the database as its events, as an older version may have left it: no checkpoint and no
state. Each server starts anew, and one worker thinks.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.orphans import ending_with_us

from setmargin.answers import Choice
from setmargin.interview.interview import Interview
from setmargin.interview.log import Answered, entry_document
from setmargin.server.store import Store
from setmargin.space.catalogue import load
from setmargin.threads import ONE_THREAD

STRATEGY = {"name": "bayes", "set_size": 4, "policy": "conversation"}
LONGEST = 1800.0


@contextmanager
def serving(catalogue: str, url: str) -> Iterator[httpx.Client]:
    command = [sys.executable, "-m", "setmargin", "serve", catalogue, "--port", "0", "--rate", "0", "--workers", "1"]
    with subprocess.Popen(
        [*command, "--database", url],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | ONE_THREAD,
        preexec_fn=ending_with_us(),
    ) as server:
        try:
            found = re.search(r"http://[\w.:]+", server.stdout.readline() if server.stdout else "")
            assert found
            with httpx.Client(base_url=f"{found[0]}/api/v1/interviews", timeout=60) as client:
                client.get(f"{found[0]}/ready")
                yield client
        finally:
            server.terminate()
            server.wait(20)


def written(url: str, catalogue: str, answers: int) -> str:
    """An interview of so many answers to random pairs; its id."""
    space = load(catalogue)
    asking, chance = Interview(space, "random", seed=1), random.Random(1)
    for _ in range(answers):
        asking.tell(chance.randrange(2))
    events = [entry_document(event) for event in asking.events if isinstance(event, Answered)]
    assert all(isinstance(event.answer, Choice) for event in asking.events if isinstance(event, Answered))
    with Store.open(url) as store:
        digest = store.put_catalogue(space.name, space.document()).digest
        return store.start(digest, STRATEGY, 1, events=events).id


def timed(client: httpx.Client, method: str, path: str, body: Any = None) -> tuple[float, int, Any]:
    began = time.perf_counter()
    reply = client.request(method, path, json=body)
    return time.perf_counter() - began, reply.status_code, reply.json()


def until_there(client: httpx.Client, method: str, path: str, body: Any = None) -> tuple[str, Any]:
    """Ask again until it is there, as the page does; how long it took, and how long the longest reply."""
    began, longest, tries = time.perf_counter(), 0.0, 0
    while time.perf_counter() - began < LONGEST:
        seconds, status, found = timed(client, method, path, body)
        longest, tries = max(longest, seconds), tries + 1
        if status == 200:
            total = time.perf_counter() - began
            return f"{total:8.2f} s   longest reply {longest:.2f} s, {tries} requests", found
        assert status == 503, found
        time.sleep(1)
    raise SystemExit("it does not end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=990)
    parser.add_argument("--catalogue", default="pc")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        url = f"sqlite:///{Path(home) / 'setmargin.db'}"
        id = written(url, wanted.catalogue, wanted.answers)
        print(f"{wanted.answers} answers on {wanted.catalogue}")
        with serving(wanted.catalogue, url) as client:
            print(f"export, nothing kept         {timed(client, 'GET', f'/{id}/export')[0]:8.2f} s")
            print("opened, nothing kept        ", until_there(client, "GET", f"/{id}")[0])
            # Whether or not a question is left: nothing should change about the best so far.
            said, state = until_there(client, "POST", f"/{id}/adjustments", {"version": wanted.answers})
            print("answered                    ", said)
            time.sleep(3)
        with serving(wanted.catalogue, url) as client:
            print("opened on a new server      ", until_there(client, "GET", f"/{id}")[0])
            said, state = until_there(client, "POST", f"/{id}/undo", {"version": state["version"]})
            print("undone there                ", said)
            said, state = until_there(client, "POST", f"/{id}/undo", {"version": state["version"]})
            print("once more                   ", said)
            number, other = wanted.answers - 1, {"version": state["version"], "answer": {"choice": 1}}
            said, state = until_there(client, "PUT", f"/{id}/answers/{number}", other)
            print("the last answer changed     ", said)
            time.sleep(3)
        with serving(wanted.catalogue, url) as client:
            print("its result, on a new server ", until_there(client, "GET", f"/{id}/recommendation")[0])
            said, state = until_there(client, "POST", f"/{id}/adjustments", {"version": state["version"]})
            print("answered there              ", said)


if __name__ == "__main__":
    main()
