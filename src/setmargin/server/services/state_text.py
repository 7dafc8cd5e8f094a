"""An interview's state as JSON, for the store."""

from __future__ import annotations

from typing import Final

from pydantic import TypeAdapter

from setmargin.documents import State

_STATE: Final = TypeAdapter(State)


def state_text(state: State) -> bytes:
    """The state as the API sends it; many times quicker than by way of plain data."""
    return _STATE.dump_json(state, by_alias=True)
