"""A line between a server and its database that can be cut: what is sent then arrives later, or never."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Event, Lock, Thread

HOST = "127.0.0.1"


class Line:
    """Listens on a port of its own and passes everything on to another one."""

    host = HOST

    def __init__(self, target: int) -> None:
        self._target, self._listener = target, socket.create_server((HOST, 0))
        self._whole, self._lock, self._open = Event(), Lock(), list[socket.socket]()
        self._whole.set()
        Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """Where the server finds its database."""
        port: int = self._listener.getsockname()[1]
        return port

    def cut(self) -> None:
        """Let nothing through any more; nobody is told."""
        self._whole.clear()

    def mend(self, *, reset: bool) -> None:
        """Let everything through again: what waited arrives late, or with `reset` its connections are gone."""
        if reset:
            self._hang_up()
        self._whole.set()

    def close(self) -> None:
        """End it all."""
        self._listener.close()
        self._hang_up()
        self._whole.set()

    def _hang_up(self) -> None:
        with self._lock:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
            self._open.clear()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near: socket.socket) -> None:
        with self._lock:
            self._open.append(near)
        self._whole.wait()
        try:
            far = socket.create_connection((HOST, self._target), timeout=10)
        except OSError:
            return near.close()
        far.settimeout(None)
        with self._lock:
            self._open.append(far)
        for source, to in ((near, far), (far, near)):
            Thread(target=self._pass_on, args=(source, to), daemon=True).start()
        return None

    def _pass_on(self, source: socket.socket, to: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._whole.wait()
                to.sendall(data)
        for each in (source, to):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
            with self._lock, suppress(ValueError):
                self._open.remove(each)
