from __future__ import annotations

import re
from pathlib import Path

import pytest

from setmargin.answers import Choice, Comparisons, NoDifference, Outcome, Ranking, Skip
from setmargin.cli.terminal.dialogue import Ending
from setmargin.interview.interview import Interview
from setmargin.space.space import Space
from tests.cli.talking import LAMP, Scripted, Talk, lamp, lamp_by_margin


def said(interview: Interview) -> list[object]:
    return [answer for _, answer in interview.history]


def test_a_whole_interview_asks_what_the_interview_itself_asks() -> None:
    talk, direct = Talk(lamp(), "1", "2", "1", budget=3), lamp()
    for option in (0, 1, 0):
        direct.tell(option)
    assert talk.ending is Ending.BUDGET
    assert talk.interview.history == direct.history
    assert "screen 3 of at most 3" in talk.text
    assert talk.interview.recommend() == direct.recommend()


def test_an_interview_ends_when_nothing_is_left_to_ask() -> None:
    talk = Talk(lamp(space=Space({"a": [1, 2], "b": [1, 2]})), *["1"] * 20)
    assert talk.ending is Ending.NOTHING_LEFT
    assert talk.interview.ask() is None


def test_a_strategy_that_does_not_know_how_sure_it_is_says_nothing_about_it() -> None:
    talk = Talk(lamp_by_margin(), "1", "2", "b")
    last = talk.finish()
    assert "suits you best" in last
    for word in ("expected", "sure", "decided"):
        assert word not in talk.text


def test_an_interview_by_margin_ends_when_nothing_is_left_to_ask_too() -> None:
    talk = Talk(lamp_by_margin(space=Space({"a": [1, 2], "b": [1, 2]})), *["1"] * 20)
    assert talk.ending is Ending.NOTHING_LEFT


def test_each_page_after_the_first_answer_says_how_far_we_have_come() -> None:
    first, second, third = re.split(r"screen \d of", Talk(lamp(), "s", "1").text)[1:]
    assert "expected loss" not in first + second
    assert re.search(r"expected loss \d+%(, about \d+ screens? left)?\n", third)


def test_an_interview_that_is_good_enough_ends_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "lamp.json"
    talk = Talk(lamp(until=0.2), *["1"] * 30, save_to=file, width=200)
    stakes = talk.interview.stakes()
    assert stakes
    assert talk.ending is Ending.GOOD_ENOUGH
    assert 0 < stakes.expected_loss < 0.2
    assert stakes.questions_left == 0
    last = talk.finish()
    assert "below 20%" in last
    assert f"--resume {file} --until 7%" in last


def test_one_step_back_leads_on_from_what_was_good_enough() -> None:
    talk = Talk(lamp(until=0.2), keys=Scripted("1\r" * 30 + "u"), terminal=True)
    answered = len(talk.interview.history)
    talk.dialogue.screen.keys = Scripted("u")
    assert talk.dialogue.goes_back(talk.ending)
    assert len(talk.interview.history) == answered - 1


def test_whoever_takes_something_else_is_not_told_how_good_the_recommendation_is() -> None:
    interview = lamp()
    interview.tell(0)
    question, best = interview.ask(), interview.recommend().configuration
    assert question
    number = next(n for n, option in enumerate(question.options, 1) if option != best)
    assert "expected" not in Talk(interview, "t", str(number)).finish()


def test_equal_and_skip_are_answers_too() -> None:
    assert said(Talk(lamp(), "=", "s", "1").interview) == [NoDifference(), Skip(), Choice(0)]


def test_keys_may_be_capital() -> None:
    assert said(Talk(lamp(), "S", "T").interview) == [Skip()]


def test_undo_brings_the_last_question_back() -> None:
    once, undone = Talk(lamp(), "1"), Talk(lamp(), "1", "2", "u")
    assert undone.interview.events == once.interview.events
    assert undone.interview.ask() == once.interview.ask()
    assert "taken back" in undone.text


def test_nothing_to_undo_is_said() -> None:
    talk = Talk(lamp(), "u", "1")
    assert "nothing to undo" in talk.text
    assert said(talk.interview) == [Choice(0)]


def test_a_wrong_key_gets_a_hint_and_changes_nothing() -> None:
    talk = Talk(lamp(), "x", "3", "", "12", "2")
    assert "'x' is no key here; press 1 to 2" in talk.text
    assert talk.text.count("is no key here") == 4
    assert said(talk.interview) == [Choice(1)]


def test_the_end_of_the_input_ends_politely_with_a_recommendation() -> None:
    talk = Talk(lamp(), "1")
    assert talk.ending is Ending.INPUT_ENDED
    last = talk.finish()
    assert "input ended" in last
    assert "suits you best" in last


def test_the_input_may_end_inside_a_must_have() -> None:
    talk = Talk(lamp(), "1", "r")
    assert talk.ending is Ending.INPUT_ENDED
    assert len(talk.interview.events) == 1


def test_a_single_configuration_is_recommended_at_once() -> None:
    only = LAMP.with_rules("kind = desk", "colour = red", "power = 5", "dimmer = none")
    talk = Talk(lamp(space=only))
    assert talk.ending is Ending.NOTHING_LEFT
    last = talk.finish()
    assert "no question left" in last
    assert "Nothing else satisfies" in last
    assert "runner-up" not in last


def test_must_haves_are_added_by_their_rule_and_undone_like_answers() -> None:
    talk = Talk(lamp(), "r", "price <= 1500", "1")
    assert talk.interview.must_haves == ("price <= 1500",)
    assert "must-haves: price <= 1500" in talk.text
    assert len(talk.interview.history) == 1
    for question, _ in talk.interview.history:
        assert all(LAMP.amounts(option)["price"] <= 1500 for option in question.options)
    again = Talk(talk.interview, "u", "u")
    assert again.interview.must_haves == ()
    assert "No longer a must-have: price <= 1500" in again.text


def test_an_impossible_must_have_shows_the_smallest_conflict_and_changes_nothing() -> None:
    interview = lamp()
    interview.require("colour = red")
    interview.require("price <= 1400")
    before = interview.ask()
    talk = Talk(interview, "r", "kind = ceiling")
    conflict = "nothing satisfies price <= 1400 together with kind = ceiling"
    assert conflict in " ".join(talk.text.split())
    assert interview.must_haves == ("colour = red", "price <= 1400")
    assert interview.ask() == before


@pytest.mark.parametrize("rule", ["colour = pink", "price <=", "-colour = pink", "-7", "???"])
def test_a_must_have_that_cannot_be_read_changes_nothing(rule: str) -> None:
    talk = Talk(lamp(), "r", rule, "1")
    assert "Nothing changed: " in talk.text
    assert talk.interview.must_haves == ()
    assert said(talk.interview) == [Choice(0)]


@pytest.mark.parametrize("which", ["-2", "-colour = red", "- colour = red"])
def test_a_must_have_is_dropped_by_number_or_in_its_own_words(which: str) -> None:
    talk = Talk(lamp(), "r", "kind = desk", "r", "colour = red", "r", which)
    assert talk.interview.must_haves == ("kind = desk",)
    assert "No longer a must-have: colour = red" in talk.text


def test_an_empty_must_have_changes_nothing() -> None:
    talk = Talk(lamp(), "r", "", "1")
    assert len(talk.interview.events) == 1


def test_the_example_of_a_must_have_is_one_that_can_be_typed() -> None:
    talk = Talk(lamp(), "r", "")
    example = next(line for line in talk.lines if line.startswith("Write a rule such as"))
    rules = example.removeprefix("Write a rule such as").split("  or  ")
    assert len(rules) == 2
    for rule in rules:
        lamp().require(rule)


def test_best_so_far_is_the_recommendation() -> None:
    talk = Talk(lamp(), "1", "b")
    assert "best so far" in talk.text
    assert talk.text.count("screen 2 of at most 30") == 2


@pytest.mark.parametrize("key", ["h", "?"])
def test_help_names_every_key(key: str) -> None:
    text = Talk(lamp(), key).text
    for name in ("1 2 …", "=  ", "s  ", "u  ", "c  ", "r  ", "b  ", "a  ", "t  ", "q  ", "h  "):
        assert f"  {name}" in text


@pytest.mark.parametrize(("key", "ending"), [("t", Ending.TAKEN), ("q", Ending.QUIT)])
def test_taking_and_quitting_end_the_interview(key: str, ending: Ending) -> None:
    talk = Talk(lamp(), "1", key, "1")
    assert talk.ending is ending
    assert len(talk.interview.history) == 1


# Taking


def test_what_is_taken_is_the_best_so_far_unless_an_option_is_named() -> None:
    for typed in (["t"], ["t", ""], ["t", "t"], ["T", "T"]):
        talk = Talk(lamp(), "1", *typed)
        assert (talk.ending, talk.dialogue.taken) == (Ending.TAKEN, None)
        assert "suits you best" in talk.finish()


def test_a_shown_option_can_be_taken_instead() -> None:
    interview = lamp()
    interview.tell(0)
    question, best = interview.ask(), interview.recommend().configuration
    assert question
    number, option = next((n, o) for n, o in enumerate(question.options, 1) if o != best)
    talk = Talk(interview, "t", str(number))
    assert (talk.ending, talk.dialogue.taken) == (Ending.TAKEN, option)
    last = talk.finish()
    assert "you took" in last
    assert "recommendation suits you better" in " ".join(last.split())


def test_an_option_that_is_the_best_so_far_is_taken_as_that() -> None:
    interview = lamp(space=Space({"a": ["x", "y"]}))
    question = interview.ask()
    assert question
    best = question.options.index(interview.recommend().configuration) + 1
    assert Talk(interview, "t", str(best)).dialogue.taken is None


def test_the_page_before_taking_shows_the_best_beside_the_options() -> None:
    text = Talk(lamp(set_size=3), "t").text
    assert " best " in text
    assert "Take the best so far" in text
    assert "1 2 3 that option" in text


@pytest.mark.parametrize("key", ["u", "x", "4"])
def test_any_other_key_goes_back_to_the_question(key: str) -> None:
    talk = Talk(lamp(set_size=3), "t", key, "2")
    assert said(talk.interview) == [Choice(1)]
    assert talk.ending is Ending.INPUT_ENDED


def test_one_step_back_leads_on_from_the_last_page() -> None:
    talk = Talk(lamp(), keys=Scripted("1\r2\r"), budget=2, terminal=True)
    talk.finish()
    talk.dialogue.screen.keys = Scripted("u")
    assert talk.dialogue.goes_back(talk.ending)
    assert said(talk.interview) == [Choice(0)]
    assert talk.dialogue.run() is Ending.INPUT_ENDED


def test_who_goes_back_after_taking_keeps_all_answers() -> None:
    talk = Talk(lamp(), keys=Scripted("1\rt1u"), terminal=True)
    assert talk.dialogue.goes_back(talk.ending)
    assert said(talk.interview) == [Choice(0)]
    talk.dialogue.run()
    assert talk.dialogue.taken is None


def test_only_who_sits_at_a_terminal_is_asked_whether_to_go_back() -> None:
    talk = Talk(lamp(), "1", "u", budget=1)
    assert not talk.dialogue.goes_back(talk.ending)
    assert not Talk(lamp(), keys=Scripted("1x"), budget=1).dialogue.goes_back(Ending.BUDGET)
    assert not Talk(lamp(), keys=Scripted("1"), budget=1).dialogue.goes_back(Ending.BUDGET)
    assert "u goes back" not in talk.text


# Changing an earlier answer


def test_an_earlier_answer_can_be_changed() -> None:
    talk, direct = Talk(lamp(), "1", "2", "=", "c", "2", "1"), lamp()
    for option in (0, 1):
        direct.tell(option)
    direct.tell(NoDifference())
    direct.change(1, 0)
    assert talk.interview.events == direct.events
    assert "answer 2 again" in talk.text
    assert "answer 2 is changed" in talk.text


def test_an_earlier_answer_can_become_a_skip() -> None:
    assert said(Talk(lamp(), "1", "2", "c", "1", "s").interview) == [Skip(), Choice(1)]


@pytest.mark.parametrize("typed", [[""], ["3"], ["x"], ["0"], ["1", "u"], ["1", "q"]])
def test_what_is_no_answer_changes_nothing(typed: list[str]) -> None:
    talk = Talk(lamp(), "1", "2", "c", *typed, "=")
    assert said(talk.interview) == [Choice(0), Choice(1), NoDifference()]
    assert "Nothing changed" in talk.text


def test_the_keys_are_named_below_the_question_in_80_columns() -> None:
    page = Talk(lamp()).text
    for key in ("= no", "s skip", "u undo", "h help", "r must", "c change", "b best", "a all", "t take", "q quit"):
        assert key in page
    assert max(map(len, Talk(lamp(), "a").lines)) <= 80


def test_there_is_nothing_to_change_at_first() -> None:
    assert "no answer to change" in Talk(lamp(), "c", "1").text


def test_the_help_speaks_of_the_catalogue_at_hand() -> None:
    text = Talk(lamp(), "h").text
    example = next(line for line in text.splitlines() if line.startswith("A must-have is a rule such as"))
    rules = example.removeprefix("A must-have is a rule such as").split("  or  ")
    assert len(rules) == 2
    for rule in rules:
        lamp().require(rule)


def test_quitting_says_how_to_go_on_and_recommends_nothing(tmp_path: Path) -> None:
    file = tmp_path / "my lamp.json"
    last = Talk(lamp(), "q", save_to=file, width=300).finish()
    assert last.endswith(f"setmargin interview --resume '{file}'\n")
    assert "suits you best" not in last
    assert "--save FILE" in Talk(lamp(), "q").finish()


# Ranking


def test_a_ranking_is_typed_best_first() -> None:
    talk = Talk(lamp(set_size=3), "213", "=", how="ranking")
    assert said(talk.interview) == [Ranking((1, 0, 2)), NoDifference()]


def test_a_ranking_is_complete_with_its_last_key_and_keys_can_be_taken_back() -> None:
    talk = Talk(lamp(set_size=3), keys=Scripted("23\x7f13\r"), how="ranking")
    assert said(talk.interview) == [Ranking((1, 0, 2))]


@pytest.mark.parametrize("wrong", ["122", "1231", "4"])
def test_a_wrong_ranking_is_begun_again(wrong: str) -> None:
    talk = Talk(lamp(set_size=3), wrong, "321", how="ranking")
    assert said(talk.interview) == [Ranking((2, 1, 0))]


# Pairs


def test_all_pairs_are_compared_in_turn() -> None:
    talk = Talk(lamp(set_size=3), "1", "2", "=", how="pairs")
    first, second, equal = Outcome.FIRST, Outcome.SECOND, Outcome.EQUAL
    assert said(talk.interview) == [Comparisons(((0, 1, first), (0, 2, second), (1, 2, equal)))]
    assert "screen 1 of at most 30 · pair 3" in talk.text


def test_sorting_asks_only_the_pairs_that_a_sort_needs() -> None:
    talk = Talk(lamp(set_size=3), "1", "2", how="sort")
    (answer,) = said(talk.interview)
    assert answer == Comparisons(((0, 1, Outcome.FIRST), (0, 2, Outcome.SECOND)))


def test_undo_inside_the_pairs_begins_the_question_again() -> None:
    talk = Talk(lamp(set_size=3), "1", "u", "2", "2", "2", how="pairs")
    second = Outcome.SECOND
    assert said(talk.interview) == [Comparisons(((0, 1, second), (0, 2, second), (1, 2, second)))]
    assert "from its first pair again" in talk.text


def test_undo_at_the_first_pair_takes_back_the_question_before() -> None:
    talk = Talk(lamp(set_size=3), "1", "1", "1", "u", how="pairs")
    assert said(talk.interview) == []


def test_skip_inside_the_pairs_skips_the_whole_question() -> None:
    assert said(Talk(lamp(set_size=3), "1", "s", how="pairs").interview) == [Skip()]


def test_a_must_have_inside_the_pairs_leaves_the_question() -> None:
    talk = Talk(lamp(set_size=3), "1", "r", "kind = desk", how="pairs")
    assert said(talk.interview) == []
    assert talk.interview.must_haves == ("kind = desk",)


# Saving


def test_every_step_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "lamp.json"
    for typed in ([], ["1"], ["1", "2"], ["1", "2", "u"], ["1", "r", "kind = desk"]):
        talk = Talk(lamp(), *typed, save_to=file)
        assert Interview.load(file).events == talk.interview.events


def test_a_resumed_interview_asks_the_same_next_question(tmp_path: Path) -> None:
    file = tmp_path / "lamp.json"
    talk = Talk(lamp(), "1", "2", "r", "price <= 1700", "1", save_to=file)
    resumed = Interview.load(file)
    assert resumed.ask() == talk.interview.ask()
    assert resumed.recommend() == talk.interview.recommend()


# At a terminal


def test_keys_answer_without_enter() -> None:
    talk = Talk(lamp(), keys=Scripted("1\r2\rq"), terminal=True)
    assert said(talk.interview) == [Choice(0), Choice(1)]


def test_help_waits_for_a_key_that_is_no_answer() -> None:
    talk = Talk(lamp(), keys=Scripted("h12\r"), terminal=True)
    assert said(talk.interview) == [Choice(1)]
    assert "any key goes back" in talk.text


def test_rules_are_typed_on_a_line() -> None:
    talk = Talk(lamp(), keys=Scripted("1\rrq", ("kind = desk",)), terminal=True)
    assert talk.interview.must_haves == ("kind = desk",)


def test_each_page_replaces_the_one_before_at_a_terminal_only() -> None:
    clear = "\x1b[2J"
    assert Talk(lamp(), keys=Scripted("1\rq"), terminal=True).text.count(clear) == 3
    assert "\x1b" not in Talk(lamp(), "1", "q").text


def test_an_arrow_key_is_no_answer() -> None:
    class Arrow(Scripted):
        def key(self) -> str:
            key = super().key()
            return "\x1b[A" if key == "^" else key

    talk = Talk(lamp(), keys=Arrow("^1\r"), terminal=True)
    assert "That is no key here" in talk.text
    assert said(talk.interview) == [Choice(0)]


def test_a_catalogue_without_a_title_is_called_by_its_name() -> None:
    untitled = Space({"a": [1, 2], "b": [1, 2]}, name="nameless")
    assert Talk(lamp(space=untitled)).lines[0].startswith("nameless ")


def test_the_last_page_begins_on_a_line_of_its_own() -> None:
    talk = Talk(lamp())
    assert talk.text.endswith("> \n")
    assert talk.finish().startswith("Find your lamp\n")
