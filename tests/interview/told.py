"""Reasons about the lamp of the page's tests, and what the terminal and the page in English have to say of them."""

from __future__ import annotations

from setmargin.interview.quotes import Quote

TOLD: tuple[tuple[Quote, str], ...] = (
    (
        Quote("foot", "paid", "wood", (1,), "steel", "price", 8.5),
        "Foot wood: in question 2 you paid 8.5 € more for it.",
    ),
    (
        Quote("foot", "paid", "wood", (1,), "steel", "life", -4.0),
        "Foot wood: in question 2 you took it, though it meant 4 years less.",
    ),
    (Quote("foot", "chosen", "wood", (1,), "steel"), "Foot wood: in question 2 you took it over steel."),
    (
        Quote("foot", "decided", "wood", (1, 3), "steel"),
        "Foot wood: in question 2 it decided for you, over steel. (And once more.)",
    ),
    (Quote("brightness", "asked-for", 400, (4,)), "Luminous flux 400 lm: you asked for it in question 5."),
    (Quote("foot", "set", "wood", (1,)), "Foot wood: you chose it yourself."),
    (Quote("foot", "must-have", "wood"), "Foot wood: one of your must-haves."),
    (Quote("price", "asked-for", None, (1,)), "Price: you wanted it cheaper in question 2."),
    (Quote("life", "set", None, (1,)), "Life: you wanted it higher in question 2."),
    (
        Quote("price", "decided", None, (1,), quantity="price", by=-20.0),
        "Price decided in question 2: you took what was 20 € cheaper.",
    ),
    (
        Quote("life", "better", None, (1,), quantity="life", by=3.0),
        "Life: in question 2 you took what was 3 years more.",
    ),
    (
        Quote("price", "gave-up", None, (1, 2, 4), "wood", "price", -20.0, "foot"),
        "Price: in question 2 you took what was 20 € cheaper, instead of foot wood. (And twice more.)",
    ),
)
