"""What is offered: files that servers are given, what the owner put, and not what the owner withdrew."""

from __future__ import annotations

from typing import Any

import pytest

from setmargin.server.errors import NotOffered
from setmargin.server.store import Store
from setmargin.server.store.offering import bring_back, give, offers, withdraw
from tests.server.store.talk import DOCUMENT, STRATEGY

TEA: dict[str, Any] = dict(DOCUMENT)
NEWER = TEA | {"title": "newer"}
MUG = {"catalogue": "mug"}


def on_offer(store: Store, files: dict[str, str]) -> dict[str, str]:
    found = {each.name: each.version_for(files) for each in offers(store)}
    return {name: digest for name, digest in found.items() if digest is not None}


def test_a_server_offers_what_it_is_given_and_no_file_of_another_start(store: Store) -> None:
    both, mug = give(store, [TEA, MUG]), give(store, [MUG])
    assert on_offer(store, mug) == mug
    assert on_offer(store, both) == both  # another server on the same database
    put = store.put_catalogue("pot", {"catalogue": "pot"}).digest
    assert on_offer(store, mug) == {**mug, "pot": put}


def test_what_the_owner_put_stands_until_another_file_comes(store: Store) -> None:
    files = give(store, [TEA])
    put = store.put_catalogue("tea", NEWER).digest
    for _ in range(2):  # however often it is restarted
        assert on_offer(store, give(store, [TEA])) == {"tea": put}
    edited = give(store, [TEA | {"title": "edited"}])
    assert on_offer(store, edited) == edited
    assert on_offer(store, give(store, [TEA])) == files


def test_servers_with_different_files_each_offer_their_own(store: Store) -> None:
    old, new = give(store, [TEA]), give(store, [NEWER])
    assert (on_offer(store, old), on_offer(store, new)) == (old, new)


def test_what_is_withdrawn_stays_so_until_it_is_brought_back_or_put(store: Store) -> None:
    files = give(store, [TEA])
    begun = store.start(files["tea"], STRATEGY, 1, id="begun-before")
    since = withdraw(store, "tea").withdrawn
    assert since is not None
    assert withdraw(store, "tea").withdrawn == since
    for again in ([TEA], [NEWER]):  # whatever servers are given
        assert on_offer(store, give(store, again)) == {}
    with pytest.raises(NotOffered, match="not offered any more"):
        store.start(files["tea"], STRATEGY, 1)
    assert store.start(files["tea"], STRATEGY, 1, id="begun-before") == begun  # the same request once more
    assert store.append(begun.id, {"require": "cup = 1"}, after=0).version == 1
    assert bring_back(store, "tea").withdrawn is None
    store.start(files["tea"], STRATEGY, 1)
    withdraw(store, "tea")
    put = store.put_catalogue("tea", TEA | {"title": "put"}).digest
    assert on_offer(store, give(store, [NEWER])) == {"tea": put}


def test_what_was_served_once_can_be_offered_by_every_server(store: Store) -> None:
    tea = give(store, [TEA])
    assert on_offer(store, {}) == {}
    bring_back(store, "tea")
    assert on_offer(store, {}) == tea


def test_an_unknown_name_is_refused_with_those_there_are(store: Store) -> None:
    give(store, [TEA])
    for change in (withdraw, bring_back):
        with pytest.raises(NotOffered, match=r"there is no catalogue 'te'.*tea"):
            change(store, "te")
