"""What is shipped for deployment: nginx as it is configured, before two servers; the container's health check; compose.

The container itself is built and started where a Docker daemon is.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
import typer
import yaml
from scripts.orphans import ending_with_us

from setmargin.cli.app import app
from setmargin.client import Client
from tests.server.api.calling import TEA, TOKEN

DEPLOY = Path(__file__).parents[2] / "deploy"
ALONE = """
daemon off; master_process off; worker_processes 1; pid {home}/nginx.pid; error_log {home}/error.log warn;
events {{ worker_connections 64; }}
http {{
    client_body_temp_path {home}/body; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
    include {home}/setmargin.conf;
}}
"""


MANY = 24
"""Interviews of which none is at one of two servers once in ten million trials: where they go depends on ports."""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Behind:
    """A server of its own, and which answers its log has."""

    def __init__(self, number: int, home: Path, database: str) -> None:
        (home / "tea.yaml").write_text(TEA)
        self.port, self._log = free_port(), home / f"server-{number}.log"
        options = [
            "--port",
            str(self.port),
            "--workers",
            "1",
            "--log",
            "json",
            "--trusted-proxy",
            "127.0.0.1",
            "--uploads",
        ]
        command = [sys.executable, "-m", "setmargin", "serve", str(home / "tea.yaml"), *options]
        environment = os.environ | {"SETMARGIN_DATABASE": database, "SETMARGIN_OWNER_TOKEN": TOKEN}
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=log, env=environment, preexec_fn=ending_with_us()
            )

    def answers(self) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self._log.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if str(line.get("route")).endswith("/answers")]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def wait_for(url: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            with urlopen(url, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"{url} does not answer")


@contextmanager
def nginx(home: Path, ports: list[int]) -> Iterator[str]:
    """The shipped configuration, with the addresses of this machine in it."""
    port = free_port()
    shipped = (DEPLOY / "nginx.conf").read_text()
    for number, behind in enumerate(ports, 1):
        assert f"server server-{number}:8000" in shipped
        shipped = shipped.replace(f"server server-{number}:8000", f"server 127.0.0.1:{behind}")
    shipped = shipped.replace("listen 80;", f"listen 127.0.0.1:{port};").replace("/var/log/nginx", str(home))
    (home / "setmargin.conf").write_text(shipped)
    (home / "nginx.conf").write_text(ALONE.format(home=home))
    command = [NGINX, "-p", str(home), "-c", str(home / "nginx.conf")]
    tried = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert tried.returncode == 0, tried.stderr
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL, preexec_fn=ending_with_us())
    try:
        wait_for(f"http://127.0.0.1:{port}/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait(20)


@pytest.fixture
def deployed_database(request: pytest.FixtureRequest, sqlite_url: str) -> str:
    """PostgreSQL, as in the containers, where there is one."""
    try:
        found: str = request.getfixturevalue("postgres_url")
    except pytest.skip.Exception:
        return sqlite_url
    return found


NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or ""


@pytest.mark.skipif(not NGINX, reason="nginx is not installed")
def test_behind_the_shipped_nginx_an_interview_stays_at_its_server_and_outlives_it(
    tmp_path: Path, deployed_database: str
) -> None:
    with ExitStack() as stack:
        first, second = (Behind(number, tmp_path, deployed_database) for number in (1, 2))
        for each in (first, second):
            stack.callback(each.stop)
            wait_for(f"http://127.0.0.1:{each.port}/ready")
        address = stack.enter_context(nginx(tmp_path, [first.port, second.port]))
        client = stack.enter_context(Client(address))
        begun = [client.start("tea", strategy="random", seed=number) for number in range(MANY)]
        for interview in begun:
            for _ in range(3):
                interview.tell(0)
        until = time.monotonic() + 10
        while sum(routed := [len(each.answers()) for each in (first, second)]) < 3 * MANY and time.monotonic() < until:
            time.sleep(0.05)  # until the last line is in the log
        assert sum(routed) == 3 * MANY
        assert all(many and many % 3 == 0 for many in routed)  # all of an interview, and some of both
        first.stop()
        for interview in begun:
            interview.tell(0)
        assert {interview.state.version for interview in begun} == {4}
        with pytest.raises(HTTPError, match="403"):
            urlopen(f"{address}/metrics", timeout=5)
        assert begun[0].id not in (tmp_path / "access.log").read_text()
        check_health(second.port)
        owner = stack.enter_context(Client(address, token=TOKEN))
        assert owner.put_catalogue("tea", f"# {'x' * 2_000_000}\n{TEA}").name == "tea"


def check_health(port: int) -> None:
    """The container's own health check tells a server that is ready from none."""
    found = re.search(r"HEALTHCHECK .*?CMD (\[.*?\])\n", (DEPLOY / "Dockerfile").read_text(), re.DOTALL)
    assert found
    words = json.loads(found[1])
    for asked, healthy in ((port, True), (free_port(), False)):
        command = [sys.executable, *(word.replace(":8000", f":{asked}") for word in words[1:])]
        done = subprocess.run(command, capture_output=True, timeout=30)
        assert (done.returncode == 0) is healthy


def test_what_the_containers_run_are_commands_that_there_are() -> None:
    commands = typer.main.get_command(app)
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    ran = re.search(r"^CMD (\[.*\])$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert ran
    servers = [compose["services"][name] for name in ("server-1", "server-2")]
    for words in (json.loads(ran[1]), *(each["command"] for each in servers)):
        assert words[0] == "serve"
        with commands.commands["serve"].make_context("serve", words[1:]):  # type: ignore[attr-defined]
            pass
    proxy = compose["services"]["nginx"]["networks"]["default"]["ipv4_address"]
    assert all(each["command"][each["command"].index("--trusted-proxy") + 1] == proxy for each in servers)
    assert re.findall(r"server (server-\d):8000", (DEPLOY / "nginx.conf").read_text()) == ["server-1", "server-2"]
    assert "USER setmargin" in (DEPLOY / "Dockerfile").read_text()


def docker(*words: str, seconds: float = 30.0) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["docker", *words], capture_output=True, text=True, timeout=seconds, cwd=DEPLOY.parent)


def test_the_container_starts_and_gets_healthy() -> None:
    if not shutil.which("docker") or docker("info").returncode:
        pytest.skip("there is no Docker daemon")
    built = docker("build", "-q", "-f", "deploy/Dockerfile", "-t", "setmargin-test", ".", seconds=900)
    if built.returncode:
        pytest.skip(f"the image cannot be built here: {built.stderr[-300:]}")
    id = docker("run", "-d", "--rm", "setmargin-test").stdout.strip()
    try:
        until = time.monotonic() + 90
        while (state := docker("inspect", "-f", "{{.State.Health.Status}}", id).stdout.strip()) == "starting":
            assert time.monotonic() < until
            time.sleep(1)
        assert state == "healthy"
        assert docker("exec", id, "id", "-u").stdout.strip() == "10001"
    finally:
        docker("stop", id)
