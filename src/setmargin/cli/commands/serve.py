"""`setmargin serve`: the page and the API on one address, until it is told to stop."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setmargin.cli.options import Database, check_web
from setmargin.errors import LearningError, OptionError

if TYPE_CHECKING:
    from setmargin.server.settings import Settings
    from setmargin.server.store.offering import CatalogueOffer
    from setmargin.space.space import Space


LOOKED_AT = 200
LOOK_SECONDS = 2.0
"""How many interviews, and how long, the database is looked at before the server starts."""


class LogForm(StrEnum):
    TEXT = "text"
    JSON = "json"


def serve(
    catalogue: Annotated[
        list[str] | None, typer.Argument(help="Shipped names or files; all shipped ones unless some are named.")
    ] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0 takes one that is free.")
    ] = 8000,
    database: Database = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Processes that think.", show_default="one a core, at most 4")
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="How long one request may be thought about.")] = 10.0,
    memory: Annotated[
        int, typer.Option(metavar="MB", help="Memory that each of these processes may have; 0: no limit.")
    ] = 1000,
    rate: Annotated[
        float, typer.Option(metavar="N", help="Requests a second from one address in the long run; 0: no limit.")
    ] = 20.0,
    burst: Annotated[int, typer.Option(metavar="N", help="Requests at once from one address after a pause.")] = 200,
    allow_strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A strategy that everybody may choose besides bayes, which the owner always may; repeatable.",
            show_default="random",
        ),
    ] = None,
    allow_set_size: Annotated[
        int, typer.Option(metavar="N", help="How many options everybody may ask for in a question.")
    ] = 4,
    uploads: Annotated[
        bool, typer.Option("--uploads", help="Let the owner put catalogues; needs SETMARGIN_OWNER_TOKEN.")
    ] = False,
    prior: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE", help="What earlier people were like, as `learn` writes it, by catalogue; repeatable."
        ),
    ] = None,
    learning: Annotated[
        bool, typer.Option("--learning", help="Learn from finished interviews what people are like.")
    ] = False,
    learning_least: Annotated[
        int, typer.Option(metavar="N", help="Finished interviews on a catalogue from which on it is learnt.")
    ] = 30,
    retention: Annotated[
        float | None,
        typer.Option(
            metavar="DAYS", help="Forget interviews that nobody has looked at for so long.", show_default="never"
        ),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="A proxy whose X-Forwarded-For is believed; repeatable."),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name that requests may ask for, such as shop.example; repeatable."),
    ] = None,
    allowed_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="A site that may show the page in its own and ask the API, such as https://shop.example; repeatable.",
            envvar="SETMARGIN_ALLOWED_ORIGINS",
            show_envvar=True,
        ),
    ] = None,
    base_path: Annotated[
        str,
        typer.Option(
            metavar="PATH",
            help="Where everything is below, such as /configure.",
            envvar="SETMARGIN_BASE_PATH",
            show_envvar=True,
            show_default="the top",
        ),
    ] = "",
    webhook: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="Tell this address of each finished interview, signed with SETMARGIN_WEBHOOK_SECRET; repeatable.",
            envvar="SETMARGIN_WEBHOOKS",
            show_envvar=True,
        ),
    ] = None,
    webhook_attempts: Annotated[
        int, typer.Option(metavar="N", help="How often it is told what it does not take.")
    ] = 12,
    webhook_pause: Annotated[
        float, typer.Option(metavar="S", help="Before the second time; each further pause is four times as long.")
    ] = 5.0,
    connections: Annotated[
        int | None,
        typer.Option(metavar="N", help="Connections at once.", show_default="4096, if so many files may be open"),
    ] = None,
    log: Annotated[LogForm, typer.Option(metavar="FORM", help="text for people, json for machines.")] = LogForm.TEXT,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve the page and the API."""
    check_web()
    from setmargin.server.api.connections import ConnectionLimits, limit_of_files, most_connections
    from setmargin.server.api.running import run
    from setmargin.server.site import Site
    from setmargin.server.webhooks import SECRET_VARIABLE, Webhooks

    limits = ConnectionLimits(most=most_connections(connections, files=limit_of_files()))
    settings = _settings(
        catalogue,
        database,
        prior or [],
        workers=workers,
        seconds=seconds,
        memory=memory,
        rate=rate,
        burst=burst,
        allowed_strategies=("random",) if allow_strategy is None else tuple(allow_strategy),
        allowed_set_size=allow_set_size,
        uploads=uploads,
        learning=learning,
        learning_least=learning_least,
        hosts=tuple(allowed_host or ()),
        retention=retention,
        site=Site(base_path=base_path, origins=allowed_origin or ()),
        webhooks=Webhooks(
            urls=webhook or (),
            secrets=os.environ.get(SECRET_VARIABLE, "").split(),
            attempts=webhook_attempts,
            pause=webhook_pause,
        ),
    )
    _check_store(settings.database, settings.catalogues)
    with _listening(host, port) as listener:
        address = _address(host, listener.getsockname()[1]) + settings.site.base_path

        def started() -> None:
            typer.echo(
                f"setmargin serves {address} and keeps interviews in {_shown(settings.database)}; stop with Ctrl+C"
            )
            if open_page:
                typer.launch(address)

        run(settings, listener, started=started, proxies=trusted_proxy or (), limits=limits, log=log.value)


def _settings(
    catalogues: list[str] | None, database: str | None, priors: list[str], *, workers: int | None, **options: Any
) -> Settings:
    from setmargin.server.settings import TOKEN_VARIABLE, Settings, usual_workers

    served = _served(catalogues)
    spaces = {space.name: space for space in served.values()}
    return Settings(
        database=database or _usual_database(),
        catalogues=tuple(space.document() for space in served.values()),
        priors=_named_priors(served) | _priors(priors, spaces),
        workers=usual_workers() if workers is None else workers,
        owner_token=os.environ.get(TOKEN_VARIABLE) or None,
        **options,
    )


def _served(sources: list[str] | None) -> dict[str, Space]:
    """The catalogues by where they are from, each with a name of its own."""
    from setmargin.cli.options import naming_source
    from setmargin.solve.oracle import oracle_for
    from setmargin.space.catalogue import load, shipped

    found: dict[str, str] = {}
    spaces: dict[str, Space] = {}
    for source in sources or shipped():
        space = load(source)
        with naming_source(source):
            oracle_for(space)
        if space.name in found:
            raise OptionError(f"{found[space.name]} and {source} are both called {space.name}; rename one")
        found[space.name] = source
        spaces[source] = space
    return spaces


def _named_priors(served: Mapping[str, Space]) -> dict[str, dict[str, Any]]:
    """What the catalogues name as their priors; those that are given win."""
    from setmargin.strategies.bayes.learnt.named import prior_of_catalogue

    found = {space.name: prior_of_catalogue(source, space) for source, space in served.items()}
    return {name: prior.document() for name, prior in found.items() if prior is not None}


def _priors(sources: list[str], catalogues: Mapping[str, Space]) -> dict[str, dict[str, Any]]:
    """What was learnt elsewhere, by the name of the catalogue that it is for."""
    from setmargin.space.text import suggest
    from setmargin.strategies.bayes.learnt.document import load_prior

    found: dict[str, dict[str, Any]] = {}
    for source in sources:
        name, says_name, file = source.partition("=")
        if not (says_name and name in catalogues):
            name, file = "", source
        prior = load_prior(file)
        name = name or prior.catalogue
        if name not in catalogues:
            hint = suggest(name, sorted(catalogues), what="there is")
            raise OptionError(f"{file} is about the catalogue {name!r}, which is not served; {hint}")
        if name in found:
            raise OptionError(f"there are two priors of {name}; give one for each catalogue")
        try:
            prior.check(catalogues[name])
        except LearningError as error:
            raise LearningError(f"{file}: {error}") from None
        found[name] = prior.document()
    return found


def _usual_database() -> str:
    """The database of whoever names none: a file in their data directory, which is made where it is missing."""
    from setmargin.server.settings import data_directory

    directory = data_directory()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"cannot make {directory}: {error.strerror}; choose a place with --database") from None
    return f"sqlite:///{directory / 'setmargin.db'}"


def _check_store(database: str, catalogues: Sequence[Mapping[str, Any]] = ()) -> None:
    """Let what is wrong with the store be said before anything listens; a damaged interview is no harm to others."""
    from setmargin.server.store import Store, offering

    with Store.open(database) as store:
        for line in _not_as_given(offering.offers(store), catalogues):
            typer.echo(f"setmargin: {line}", err=True)
        damaged = {each.interview for each in store.verify(newest=LOOKED_AT, seconds=LOOK_SECONDS).damages}
    if damaged:
        several = f"{len(damaged)} of the last {LOOKED_AT} interviews are" if len(damaged) > 1 else "one interview is"
        typer.echo(f"setmargin: {several} not as written; see setmargin database verify --database …", err=True)


def _not_as_given(offers: Sequence[CatalogueOffer], catalogues: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What the owner said of these catalogues, which goes before the files."""
    from setmargin.space.space import fingerprint_of

    files = {each["catalogue"]: fingerprint_of(each["catalogue"], each) for each in catalogues}
    for offer in offers:
        if offer.name in files and offer.withdrawn is not None:
            yield f"{offer.name} is withdrawn and not offered; setmargin database offer {offer.name} brings it back"
        elif offer.given is not None and offer.given == files.get(offer.name) and offer.is_put:
            yield f"{offer.name} is offered as it was put through the API, not as in its file, which is older"


def _shown(database: str) -> str:
    """Where interviews are kept, without a password."""
    from setmargin.server.store.engine import parse, shown

    url = parse(database)
    return str(url.database) if url.get_backend_name() == "sqlite" else shown(url)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise OptionError(f"cannot listen on {host} port {port}: {error}; choose another --host or --port") from None
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(place)
        listener.listen(1024)
    except OSError as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(
            f"cannot listen on {host} port {port}: {reason.lower()}; choose another --port, or 0 for a free one"
        ) from None
    return listener


def _address(host: str, port: int) -> str:
    """Where a browser on this machine finds the page."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}"
