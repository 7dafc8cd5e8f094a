"""Many machines: a Dask cluster, reached through joblib."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from importlib.metadata import version
from typing import Any

from joblib import Parallel, parallel_config

from setmargin.errors import ExperimentError
from setmargin.late_imports import import_extra

PATIENCE = 10
"""Seconds until a scheduler that does not answer, or that has no workers, is given up."""
AHEAD = "4 * n_jobs"
"""Batches of trials under way; more than a worker needs, so that machines that join later get some."""


@contextmanager
def cluster_pool(address: str) -> Iterator[Parallel]:
    """The workers of a cluster as a pool; a worker that dies has its trials run again by the others."""
    with _quiet(), closing(_client(address)) as client:
        _check_workers(client, address)
        with parallel_config(backend=_backend(client)):
            pool = Parallel(n_jobs=-1, pre_dispatch=AHEAD, return_as="generator_unordered")
        yield pool


@contextmanager
def _quiet() -> Iterator[None]:
    """What Dask logs about lost connections is said here in one line, if it matters."""
    log = logging.getLogger("distributed")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def _client(address: str) -> Any:
    distributed = import_extra("distributed")
    try:
        return distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        error.__traceback__ = None  # which holds what there was of a client
    # That closes itself when it is collected. In the middle of making the next one, it would wait for itself.
    gc.collect()
    raise ExperimentError(
        f"no Dask scheduler answers at {address} ({reason}); start one with `dask scheduler`, "
        f"or give its address, such as tcp://host:8786"
    )


def _check_workers(client: Any, address: str) -> None:
    """Refuse a cluster where nobody works, or where the package is missing or another one."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise ExperimentError(
            f"the cluster at {address} has no workers; start some with `dask worker {address}`"
        ) from None
    ours = version("setmargin")
    for worker, theirs in client.run(_installed).items():
        if theirs != ours:
            has = f"has setmargin {theirs}" if theirs else "lacks setmargin"
            raise ExperimentError(f"the worker at {worker} {has}; install setmargin {ours} there")


def _installed() -> str | None:
    """The version there; it is sent as it stands, since the package may be missing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("setmargin")
    except PackageNotFoundError:
        return None


def _backend(client: Any) -> Any:
    """Joblib's own, mended in two places.

    It would wait for ever for a trial that nobody survives; here that is an error. And where there is but one worker,
    it would run everything here.
    """
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):
        def effective_n_jobs(self, n_jobs: int) -> int:
            return max(2, super().effective_n_jobs(n_jobs))

        def submit(self, func: Any, callback: Any = None) -> Any:
            future: Any = super().submit(func, callback)
            future.add_done_callback(lambda done: _tell_failure(done, callback))
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            if isinstance(out, BaseException):
                raise ExperimentError(
                    f"workers of the cluster die of a trial ({out}); give them more memory, or fewer threads each"
                )
            return super().retrieve_result_callback(out)

    return Backend(client=client)


def _tell_failure(done: Future[Any], callback: Callable[[Any], None]) -> None:
    if not done.cancelled() and (error := done.exception()):
        callback(error)
