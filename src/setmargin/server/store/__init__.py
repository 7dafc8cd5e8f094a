"""The store: the truth about catalogues, interviews and answers, on SQLite or PostgreSQL."""

from setmargin.server.store.catalogues import StoredCatalogue
from setmargin.server.store.interviews import Progress, StoredInterview
from setmargin.server.store.priors import Source, StoredPrior
from setmargin.server.store.questions import GivenQuestion
from setmargin.server.store.store import Appended, Store
from setmargin.server.store.summary import CatalogueCounts, Histogram
from setmargin.server.store.verify import Damage, Verified

__all__ = [
    "Appended",
    "CatalogueCounts",
    "Damage",
    "GivenQuestion",
    "Histogram",
    "Progress",
    "Source",
    "Store",
    "StoredCatalogue",
    "StoredInterview",
    "StoredPrior",
    "Verified",
]
