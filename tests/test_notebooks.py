"""What notebooks show: the two that are shipped run, objects show themselves, and an interview can be held inside."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

from setmargin import Interview, Space, load
from setmargin.choices.scoring import ModelScore, Reliability
from setmargin.errors import OptionError
from setmargin.experiments import compare, draw_people
from setmargin.plots import plot_calibration, plot_curves, plot_importance, plot_loss_against_time

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))
SECONDS = 60


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ipykernel", reason="ipykernel, which runs notebooks, is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient, which runs notebooks, is not installed")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    book = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in book.cells), "keep notebooks without outputs"
    nbclient.NotebookClient(book, timeout=SECONDS, kernel_name="python3").execute()
    shown = [output for cell in book.cells for output in cell.get("outputs", ())]
    assert any("image/png" in output.get("data", {}) for output in shown)
    assert any("text/html" in output.get("data", {}) for output in shown)


class Tags(HTMLParser):
    """Counts what is open; tables and bars are all that there may be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        assert tag in {"p", "b", "span", "table", "thead", "tbody", "tr", "th", "td", "div"}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_objects_show_themselves_and_nothing_in_a_catalogue_is_markup() -> None:
    space = Space(
        {"<b>": ["<script>x</script>", "&"], "size": [1, 2]}, name="odd", title="<i>", rules=["size = 1 or size = 2"]
    )
    interview = Interview(space, seed=1)
    question = interview.ask()
    interview.tell(0)
    person = next(draw_people(space, 1))
    found = compare([person], ["random"], questions=2)
    assert question is not None
    shown = (space, question, interview, interview.recommend(), interview.explain(), person, found, found["random"])
    for each in shown:
        text = each._repr_html_()
        assert not Tags(text).open
        assert "<script>" not in text
        assert len(repr(each)) < 300


def test_what_differs_is_in_bold() -> None:
    question = Interview("bicycle", seed=1).ask()
    assert question is not None
    bold = re.findall(r'<tr style="font-weight:bold"><td[^>]*>([^<]*)', question._repr_html_())
    first, *others = question.options
    assert bold == [name for name in first if any(other[name] != first[name] for other in others)]


def test_plots_are_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpl, "rcParams", mpl.rcParams)
    mpl.use("agg")
    from matplotlib import pyplot
    from matplotlib.axes import Axes

    found = compare(list(draw_people(load("synthetic:3"), 3)), ["random", "perceptron"], questions=3)
    interview = Interview("synthetic:3")
    interview.tell(0)
    bins = (Reliability(0, 0.5, 4, 0.3, 0.2, 0.1), Reliability(0.5, 1, 0, float("nan"), float("nan"), float("nan")))
    score = ModelScore("bayes", 3, 2, 4, 0.5, 0.1, 0.9, 0.1, bins[0], bins, 1.0, (0.9,))
    curves = plot_curves(found)
    assert [line.get_label() for line in curves.get_lines()] == ["random", "perceptron"]
    assert plot_curves(found["random"], ax=curves, relative=False) is curves
    importance = plot_importance(interview.explain())
    assert len(importance.patches) == 3
    assert plot_loss_against_time(found).get_xscale() == "log"
    assert isinstance(plot_calibration(score), Axes)
    with pytest.raises(OptionError, match="nothing to draw"):
        plot_curves({})
    pyplot.close("all")


def test_an_interview_is_held_inside_a_notebook() -> None:
    pytest.importorskip("ipywidgets", reason="ipywidgets is not installed")
    from setmargin.widget import InterviewWidget

    widget = InterviewWidget(Interview("synthetic:3", "random"))
    widget.press("Undo")
    assert "there is nothing to undo" in widget._box.children[0].value
    widget.press("Option 2")
    widget.press("No difference")
    widget.press("Skip")
    assert repr(widget.interview) == "<Interview on synthetic:3 by random: 2 answers and 1 skipped>"
    widget.press("Undo")
    assert len(widget.interview.history) == 2
    changing = InterviewWidget(Interview("synthetic:3", "coactive"))
    changing.press("Change it")
    assert len(changing.interview.history) == 1
