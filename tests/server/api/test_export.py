"""Exports: what was stored, row by row, without a key to anything, through the API and by the command."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from setmargin.server.settings import Settings
from setmargin.server.store.export import TABLES, pseudonym
from tests.cli.running import Shell
from tests.server.api.calling import API, OWNER, Caller, Talk


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text)))


def test_the_tables_hold_what_happened_and_no_ids(
    call: Caller, options: Settings, shell: Shell, tmp_path: Path
) -> None:
    talk = Talk(call, must_haves=["price <= 12"])
    talk.tell(0)
    talk.tell(1)
    talk.do("POST", "/undo")
    talk.tell(0)
    talk.do("PUT", "/answers/1", answer={"equal": True})
    shown = talk.state["best"]
    taken = talk.do("POST", "/finish")["finished"]
    Talk(call)

    def rows(name: str) -> list[dict[str, str]]:
        file = tmp_path / f"{name}.csv"
        done = shell("database", "export", name, file, "--database", options.database)
        assert done.code == 0, done.err
        text = file.read_text("utf-8")
        assert talk.state["id"] not in text
        return table(text)

    me = pseudonym(talk.state["id"])
    interviews = {row["interview"]: row for row in rows("interviews")}
    assert len(interviews) == 2
    mine = interviews[me]
    assert (mine["catalogue"], mine["answers"], mine["taken"], mine["finished"]) == ("tea", "2", "true", "true")
    assert json.loads(mine["must_haves"]) == ["price <= 12"]
    answers = rows("answers")
    assert {row["interview"] for row in answers} == {me}
    assert [(row["kind"], row["choice"], row["in_force"]) for row in answers] == [
        ("choice", "0", "false"),
        ("choice", "1", "false"),
        ("choice", "0", "true"),
        ("equal", "", "true"),
    ]
    assert answers[0]["question"] == answers[3]["question"]
    assert all(len(json.loads(row["options"])) == 2 and float(row["seconds"]) >= 0 for row in answers[:3])
    (result,) = rows("results")
    assert (json.loads(result["taken"]), json.loads(result["taken_amounts"])) == (taken["values"], taken["amounts"])
    assert json.loads(result["recommended"]) == shown["values"]


def test_the_owner_has_them_streamed_as_csv_and_parquet(call: Caller) -> None:
    talk = Talk(call)
    talk.tell(0)
    place = f"{API}/owner/export/answers"
    assert call("GET", place).status_code == 401
    reply = call("GET", place, headers=OWNER)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert 'filename="answers.csv"' in reply.headers["content-disposition"]
    rows = table(reply.text)
    assert pseudonym(talk.state["id"]) in {row["interview"] for row in rows}
    columnar = call("GET", f"{place}?format=parquet&catalogue=tea&since=2020-01-01T00:00:00Z", headers=OWNER)
    frame = pl.read_parquet(BytesIO(columnar.content))
    assert frame.columns == list(TABLES["answers"].columns)
    assert frame["interview"].to_list() == [row["interview"] for row in rows]
    assert frame["choice"].to_list() == [int(row["choice"]) if row["choice"] else None for row in rows]
    assert call("GET", f"{API}/owner/export/secrets", headers=OWNER).status_code == 422


def test_what_cannot_be_exported_is_said_in_one_line(shell: Shell, options: Settings, tmp_path: Path) -> None:
    where: tuple[Any, ...] = ("--database", options.database)
    unsaid = shell("database", "export", "answers", tmp_path / "answers", *where)
    assert (unsaid.code, unsaid.err.count("\n")) == (2, 1)
    assert "call it .csv or .parquet" in unsaid.err
    nowhere = shell("database", "export", "answers", tmp_path / "none" / "a.csv", *where)
    assert "cannot write" in nowhere.err
