"""An interview inside a notebook: options side by side, a button for each, the best so far below.

    from setmargin import Interview
    from setmargin.widget import InterviewWidget

    InterviewWidget(Interview("bicycle"))

It needs ipywidgets: `pip install 'setmargin[notebook]'`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from setmargin.answers import Change, NoDifference, Question
from setmargin.errors import SetmarginError
from setmargin.html import heading
from setmargin.interview.interview import Interview
from setmargin.late_imports import import_extra
from setmargin.strategies.shared.changes import changes_of


class InterviewWidget:
    """Lets the person in front of a notebook answer; `interview` is at hand for other cells at any time.

    Parameters
    ----------
    interview
        A new one, or one that is to go on.

    Examples
    --------
    >>> from setmargin import Interview
    >>> from setmargin.widget import InterviewWidget
    >>> widget = InterviewWidget(Interview("synthetic:3"))
    >>> widget.press("Option 1")
    >>> widget.interview
    <Interview on synthetic:3 by bayes: 1 answer>
    """

    def __init__(self, interview: Interview) -> None:
        self.interview = interview
        self._widgets: Any = import_extra("ipywidgets")
        self._box = self._widgets.VBox([])
        self._draw()

    def _repr_mimebundle_(self, **more: Any) -> Any:
        """What the notebook shows: the widget itself."""
        return self._box._repr_mimebundle_(**more)

    def press(self, label: str) -> None:
        """Press the button of that label, as a person would."""
        for button in self._buttons():
            if button.description == label:
                button.click()
                return
        raise KeyError(label)

    def _buttons(self) -> list[Any]:
        rows = [child for child in self._box.children if isinstance(child, self._widgets.HBox)]
        return [each for row in rows for each in row.children if isinstance(each, self._widgets.Button)]

    def _draw(self, problem: str = "") -> None:
        question = self.interview.ask()
        shown = [self._html(heading(problem))] if problem else []
        shown += [] if question is None else [self._html(question._repr_html_()), *self._answers(question)]
        if question is None:
            shown.append(self._html(heading("Nothing is left to ask")))
        shown += [self._html(heading("Best so far") + self.interview.recommend()._repr_html_())]
        self._box.children = [*shown, self._row([self._button("Undo", self.interview.undo)])]

    def _answers(self, question: Question) -> list[Any]:
        if not question.is_comparison:
            return [self._changes(question)]
        choices = [
            self._button(f"Option {number + 1}", partial(self.interview.tell, number))
            for number in range(len(question.options))
        ]
        undecided = (
            [] if question.forced else [self._button("No difference", partial(self.interview.tell, NoDifference()))]
        )
        return [self._row([*choices, *undecided, self._button("Skip", self.interview.skip)])]

    def _changes(self, question: Question) -> Any:
        """What to change about the only option: one of a list, or nothing."""
        changes = {_in_words(change): change for change in changes_of(self.interview.belief.space, question)}
        menu = self._widgets.Dropdown(options=list(changes))
        change = self._button("Change it", lambda: self.interview.tell(changes[menu.value]))
        return self._row([menu, change, self._button("Skip", self.interview.skip)])

    def _button(self, label: str, act: Any) -> Any:
        button = self._widgets.Button(description=label)
        button.on_click(lambda _: self._do(act))
        return button

    def _do(self, act: Any) -> None:
        try:
            act()
        except SetmarginError as error:
            self._draw(str(error))
        else:
            self._draw()

    def _html(self, text: str) -> Any:
        return self._widgets.HTML(text)

    def _row(self, children: list[Any]) -> Any:
        return self._widgets.HBox(children)


def _in_words(change: Change) -> str:
    if change.name is None:
        return "nothing"
    return f"better {change.name}" if change.value is None else f"{change.name}: {change.value}"
