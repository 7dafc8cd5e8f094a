"""A report is one file that needs nothing else, says what the records say, and lets nothing out of its quotes."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from setmargin.errors import OptionError
from setmargin.experiments.report import report, write_report
from tests.experiments.frames import line, part

NOT_CLOSED = {"meta", "link", "br", "hr"}


class Page(HTMLParser):
    """Tags that are open, everything that would be fetched, and the text of table cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.rows: list[list[str]] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in NOT_CLOSED:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        values = {name: value or "" for name, value in attrs}
        self.ids += [values["id"]] if "id" in values else []
        links = [values[name] for name in ("src", "href", "xlink:href") if name in values]
        self.fetched += [link for link in links if not link.startswith("#")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in NOT_CLOSED:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def cells(text: str) -> dict[str, list[str]]:
    """The table rows by their first cell; the last of each name."""
    return {row[0]: row[1:] for row in Page(text).rows}


def test_it_is_one_well_formed_file_that_fetches_nothing() -> None:
    text = report(part(), name="comparison")
    page = Page(text)
    assert page.open == []
    assert page.fetched == []
    assert not page.tags & {"script", "link", "img", "iframe"}
    assert len(page.ids) == len(set(page.ids))
    assert not re.search(r"url\((?!#)|@import", text)


def test_a_table_has_the_numbers_of_the_records() -> None:
    text = report(line([5, 1, 0.05, 0], [6, 2, 0.05, 0], [7, 0.5, 3, 0.6]))
    found = cells(text)["setmargin"]
    assert found == ["2", "3", "4", "2.0 ± 2.0", "2 of 3", "1.1", "1.1"]


def test_levels_that_are_left_again_or_never_reached_say_so() -> None:
    found = cells(report(line([5, 1, 2, 0.5])))["setmargin"]
    assert found[:3] == ["4 (2)", "–", "–"]


def test_published_numbers_stand_beside_ours() -> None:
    found = cells(report(line([5, 1, 0], strategy="rivoi", weights="sparse-normal"), name="comparison"))["rivoi"]
    assert found[:3] == ["2 / 4", "3 / 4", "3 / 4"]


def test_whatever_names_contain_stays_text() -> None:
    evil = '<script>alert("1")</script>&'
    frame = line([1, 0], strategy=evil, catalogue=evil, weights=evil)
    text = report(frame, command=f"setmargin compare {evil}")
    assert "<script" not in text
    assert "script" not in Page(text).tags
    assert "&lt;script&gt;" in text


def test_it_says_what_was_run_and_how_to_run_it_again() -> None:
    text = report(part(), name="comparison", command="setmargin reproduce comparison --people 3")
    assert "<code>setmargin reproduce comparison --people 3</code>" in text
    assert "9 simulated interviews with 27 questions, asked by bayes, rivoi, setmargin" in text


def test_equal_records_give_equal_reports() -> None:
    frame = part()
    assert report(frame, name="comparison") == report(frame, name="comparison")


def test_the_figure_has_a_description_for_those_who_do_not_see_it() -> None:
    text = report(part(), name="comparison")
    assert '<figure role="img" aria-label="Comparison of methods: 2 plots' in text


def test_settings_with_different_answers_have_tables_of_their_own() -> None:
    frame = pl.concat([line([3, 2]), line([3, 2]).with_columns(wrong=pl.lit(0.1))])
    assert re.findall(r"<caption>(.*?)</caption>", report(frame)) == [
        "r = 3, uniform, wrong 0.0",
        "r = 3, uniform, wrong 0.1",
    ]


def test_it_is_written_whole_where_it_was_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "new" / "report.html"
    assert write_report(line([1, 0]), target) == target
    assert target.read_text(encoding="utf-8").endswith("</html>\n")
    assert [each.name for each in target.parent.iterdir()] == ["report.html"]


def test_a_place_that_cannot_be_written_is_an_error_with_a_cure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match="choose another place"):
        write_report(line([1]), tmp_path / "file" / "report.html")


def test_agreement_with_what_was_published_is_counted() -> None:
    frame = line(
        *[[60, 30, 20, 10, loss] for loss in (10.0, 20.0, 30.0, 40.0)], strategy="eus", catalogue="synthetic:4"
    )
    found = cells(report(frame, name="comparison"))["r = 4, uniform, eus"]
    assert found == ["2", "1", "1", "0", "60.0 for 78.3 after 1"]
    assert "published points" not in report(frame)
