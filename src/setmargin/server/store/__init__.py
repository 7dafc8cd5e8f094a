"""The store: the truth about catalogues, interviews and answers, on SQLite or PostgreSQL."""

from setmargin.server.store.errors import (
    Conflict,
    KeyReused,
    NewerSchema,
    StoreError,
    UnknownCatalogue,
    UnknownInterview,
)
from setmargin.server.store.records import Appended, Catalogue, Histogram, Progress, Stored, Summary
from setmargin.server.store.store import Store

__all__ = [
    "Appended",
    "Catalogue",
    "Conflict",
    "Histogram",
    "KeyReused",
    "NewerSchema",
    "Progress",
    "Store",
    "StoreError",
    "Stored",
    "Summary",
    "UnknownCatalogue",
    "UnknownInterview",
]
