from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from setmargin.languages import choose_language, wanted_languages


def test_the_header_is_read_by_weight_and_then_by_place() -> None:
    assert wanted_languages("en;q=0.7, de-AT, fr;q=0.9, es;q=0, *;q=0.1") == ("de-AT", "fr", "en")
    assert wanted_languages("") == ()


def test_a_language_suits_whatever_its_region_but_the_same_region_suits_better() -> None:
    assert choose_language(["de-CH"], ["en", "de"]) == "de"
    assert choose_language(["pt"], ["en", "pt-BR"]) == "pt-BR"
    assert choose_language(["pt-BR"], ["pt", "pt-BR"]) == "pt-BR"
    assert choose_language(["ja", "DE"], ["en", "de"]) == "de"
    assert choose_language([], ["en", "de"]) == "en"


@given(st.text())
def test_whatever_the_header_says_one_of_those_offered_is_chosen(header: str) -> None:
    assert choose_language(wanted_languages(header), ["en", "de"]) in ("en", "de")
