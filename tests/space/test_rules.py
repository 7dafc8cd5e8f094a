"""The rule language and tables: what they mean, and what they refuse."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.errors import RuleError
from setmargin.space import table_cells
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.formula import And, AtMost, InBoxes, InTable, Is, Not, Or, fold, holds, scope
from setmargin.space.rules import Rule, Table
from setmargin.space.space import Space
from setmargin.space.text import Value, show
from tests.space.generated import SHOP, Tree, everything, meaning, means, render, tables, trees, words

ALL = everything(SHOP)
CHOSEN = [SHOP.configuration(row) for row in ALL]
fixed = settings(derandomize=True, deadline=None, max_examples=150)

DIGITS = Space({"x": [0, 1, 2, 3], "y": [0, 1, 2, 3], "word": ["a", "b"]})


def satisfied(space: Space, rule: str) -> list[list[Value]]:
    rows = everything(space)
    good = holds(space.names.parse(rule), rows)
    return [list(space.configuration(row).values()) for row in rows[good]]


def refusal(rule: object, space: Space = SHOP) -> str:
    with pytest.raises(RuleError) as caught:
        space.with_rules(rule)  # type: ignore[arg-type]
    return str(caught.value)


@given(trees)
@fixed
def test_a_rule_means_what_a_naive_reading_of_it_means(tree: Tree) -> None:
    expected = [meaning(tree, chosen) for chosen in CHOSEN]
    assert holds(SHOP.names.parse(render(tree)), ALL).tolist() == expected


@given(trees)
@fixed
def test_the_scope_holds_every_attribute_that_matters(tree: Tree) -> None:
    formula = SHOP.names.parse(render(tree))
    inside = sorted(scope(formula))
    truth: dict[tuple[int, ...], bool] = {}
    for row, good in zip(ALL, holds(formula, ALL), strict=True):
        assert truth.setdefault(tuple(row[inside]), bool(good)) == good


@pytest.mark.parametrize(
    ("rule", "same"),
    [
        ("x = 1 or x = 2 and y = 3", "x = 1 or (x = 2 and y = 3)"),
        ("not x = 1 and y = 1", "(not x = 1) and y = 1"),
        ("x = 1 => y = 1 => x = 2", "x = 1 => (y = 1 => x = 2)"),
        ("x = 1 or y = 1 => y = 2", "(x = 1 or y = 1) => y = 2"),
        ("x = 1 <=> y = 1 => y = 2", "x = 1 <=> (y = 1 => y = 2)"),
        ("x = 1 <=> y = 1 <=> y = 2", "(x = 1 <=> y = 1) <=> y = 2"),
        ("x not in {1, 2}", "not (x in {1, 2})"),
        ("1 = x", "x = 1"),
        ("2 > x", "x < 2"),
        ("2<=x", "x >= 2"),
        ("x=1=>y>=2", "x = 1 => y >= 2"),
        ("x - 1 = y", "x = y + 1"),
        ("- x >= -2", "x <= 2"),
        ("x * 2 + 1 <= 2 * y - 3", "x - y <= -2"),
        ("x = 1.0", "x = 1"),
        ('"x" = "1"', "x = 1"),
        ("x = 01", "x = 1"),
        ("x + x + x = 3 * y", "x = y"),
        ("x - x <= 0", "x <= 3"),
        ("x <= 1e100", "x <= 3"),
        ("x < 1e-100", "x = 0"),
        ("x\n  =\t1", "x = 1"),
    ],
)
def test_these_two_rules_are_the_same(rule: str, same: str) -> None:
    assert satisfied(DIGITS, rule) == satisfied(DIGITS, same)
    assert 0 < len(satisfied(DIGITS, same)) <= 32


@given(name=words, value=words)
@fixed
def test_any_name_and_value_can_be_written_in_a_rule(name: str, value: str) -> None:
    other = "other" if value != "other" else "another"
    space = Space({name: [other, value]})
    for rule in (f"{show(name)} = {show(value)}", f"{show(name)} in {{{show(value)}}}"):
        assert satisfied(space, rule) == [[value]]


def test_a_word_that_looks_like_a_number_is_found_in_every_spelling_of_a_rule() -> None:
    space = Space({"x": [7, "007", "1e3"]})
    assert satisfied(space, "x = 007") == satisfied(space, "x in {007}") == satisfied(space, 'x = "007"') == [["007"]]
    assert satisfied(space, "x = 7") == satisfied(space, "x = 7.0") == [[7]]
    assert satisfied(space, "x = 1e3") == [["1e3"]]


def test_a_value_goes_before_an_attribute_of_the_same_name() -> None:
    space = Space({"a": ["b", "c"], "b": ["x", "y"]})
    assert satisfied(space, "a = b") == [["b", "x"], ["b", "y"]]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("<= 0.3", True), ("< 0.3", False), ("= 0.3", True), (">= 0.3", True), ("> 0.3", False), ("!= 0.3", False)],
)
def test_decimals_are_exact_at_the_boundary(rule: str, expected: bool) -> None:
    listed = Space(
        {"a": ["x"], "b": ["y", "z"], "n": [1, 3]},
        quantities=[Quantity("price", {"a": {"x": 0.1}, "b": {"y": 0.2, "z": 5}, "n": {1: 0, 3: 9}})],
    )
    assert (["x", "y", 1] in satisfied(listed, f"price {rule}")) is expected
    # 3 * 0.1 is 0.30000000000000004 in binary arithmetic.
    factor = Space(
        {"n": [3, 1], "m": [0, 1]},
        quantities=[Quantity("price", {"n": 0.1, "m": 1})],
    )
    assert ([3, 0] in satisfied(factor, f"price {rule}")) is expected


def test_a_sum_is_compared_in_integers() -> None:
    formula = SHOP.names.parse("price <= 0.3")
    assert isinstance(formula, AtMost)
    assert all(isinstance(number, int) for _, column in formula.coefficients for number in column)


@pytest.mark.parametrize("operator", ["<=", "<", "=", ">", ">=", "!="])
def test_numbers_with_too_many_digits_for_integers_still_compare_sensibly(operator: str) -> None:
    third = 0.3333333333333333
    table = {"a": {"none": 0, "third": third}, "b": {"none": 0, "much": 1e9}}
    space = Space({"a": ["none", "third"], "b": ["none", "much"]}, quantities=[Quantity("q", table)])  # type: ignore[arg-type]
    expected = {
        "<=": [["none", "none"], ["third", "none"], ["none", "much"]],
        "<": [["none", "none"], ["third", "none"]],
        "=": [["none", "much"]],
        ">": [["third", "much"]],
        ">=": [["none", "much"], ["third", "much"]],
        "!=": [["none", "none"], ["third", "none"], ["third", "much"]],
    }[operator]
    assert sorted(satisfied(space, f"q {operator} 1000000000")) == sorted(expected)


def test_what_is_always_or_never_true_is_known_when_it_is_read() -> None:
    always, never = SHOP.names.parse("price <= 1e9"), SHOP.names.parse("price < -1e9")
    assert isinstance(always, And)
    assert isinstance(never, Or)
    assert always.parts == never.parts == ()


def test_a_comparison_of_one_attribute_is_a_set_of_values() -> None:
    formula = DIGITS.names.parse("2 * x + 1 <= 5")
    assert isinstance(formula, Is)
    assert formula.values == {0, 1, 2}


@pytest.mark.parametrize(
    "rule",
    [
        "(" * 20_000 + "x = 1" + ")" * 20_000,
        "not " * 5_001 + "x != 1",
        "not (" * 5_001 + "x != 1 and y >= 0" + ")" * 5_001,
        "(x = 1 and (x = 1 or " * 2_500 + "x = 1" + "))" * 2_500,
        "x = 2 => " * 5_000 + "x = 1",
        "x = 1 <=> " * 5_000 + "x = 1",
        " and ".join(["x = 1"] * 5_000),
        " + ".join(["x"] * 5_000) + " = 5000",
        f"x in {{{', '.join(['1'] * 5_000)}}}",
    ],
    ids=["parentheses", "not", "not-parentheses", "and-or", "implies", "iff", "and", "sum", "in"],
)
def test_rules_may_be_nested_and_long_to_any_depth(rule: str) -> None:
    space = DIGITS.with_rules(rule)
    again = pickle.loads(pickle.dumps(space))
    assert again == space
    assert hash(again) == hash(space)
    assert space.rules[0] == again.rules[0]
    rows = everything(space)
    good = [list(row) for row in rows[again.feasible(rows)]]
    if "=>" in rule and "<=>" not in rule:
        assert {row[0] for row in good} == {0, 1, 3}
    else:
        assert {row[0] for row in good} == {1}
    assert fold(space.rules[0].formula, lambda _, inner: 1 + sum(inner)) >= 1


def test_a_very_long_rule_is_refused_with_a_cure() -> None:
    assert "split it" in refusal("x = 1 or " * 200_000 + "x = 1", DIGITS)


@pytest.mark.parametrize(
    ("rule", "parts"),
    [
        ("type = lapptop", ["type has no value 'lapptop'", "did you mean laptop?"]),
        ("tpe = laptop", ["no attribute or quantity 'tpe'", "did you mean type?"]),
        ("tpe in {laptop}", ["no attribute 'tpe'", "did you mean type?"]),
        ("ratio = 5", ["ratio has no value 5", "0.1, 0.2, -0.3"]),
        ("type <= 3", ["'laptop' is a word", "type in {…}"]),
        ("type = size", ["'laptop' is a word", "table"]),
        ("ratio <= lots", ["compares with a word", "write a number"]),
        ("", ["ends too early"]),
        ("type =", ["ends too early", "a name"]),
        ("(type = laptop", ["ends too early", ")"]),
        ("type = laptop)", ["column 14", "open it with ("]),
        ("type == laptop", ["column 7", "only once"]),
        ("type = laptop && size = S", ["'&' at column 15", "write and"]),
        ("type = laptop AND size = S", ["'AND' at column 15", "small letters"]),
        ("type = 'laptop'", ["double quotes"]),
        ("type = big one", ["'one' at column 12", "double quotes"]),
        ("type in {}", ["column 10"]),
        ("type in laptop", ["expected {"]),
        ("price <= 1e999999999", ["1e999999999", "too large"]),
        ("price <= 1e-999999999", ["1e-999999999", "too large"]),
        ("price <= " + "9" * 5000, ["too long"]),
        ("type = laptop or " * 100 + "type = foo", ["has no value 'foo'"]),
        ("type = laptop or " * 100 + "type ? foo", ["'?' at column 1706", "type ? foo"]),
        (5, ["5 is not a rule", "write it as text"]),
        ({"allow": ["type"]}, ["allow or forbid, and rows"]),
        ({"allow": ["type"], "forbid": ["type"], "rows": []}, ["keep just two"]),
        (Table.allowing([], []), ["needs attributes"]),
        (Table.allowing(["tpe"], []), ["no attribute 'tpe'", "did you mean type?"]),
        (Table.allowing(["type", "type"], []), ["type twice"]),
        (Table.allowing(["type"], [["laptop"], ["lapptop"]]), ["row 2", "did you mean laptop?"]),
        (Table.allowing(["type"], [["laptop", 5]]), ["row 1", "2 values", "(type)"]),
    ],
)
def test_a_mistake_in_a_rule_is_named_with_its_cure(rule: object, parts: list[str]) -> None:
    message = refusal(rule)
    assert all(part in message for part in parts), message
    assert len(message) < 500
    assert "\n" not in message


def test_a_table_refuses_columns_that_are_no_names_and_an_unclear_verb() -> None:
    assert "no attribute 5" in refusal(Table.allowing([5], []))  # type: ignore[list-item]
    with pytest.raises(RuleError, match="allow is 'no'; write True or False"):
        Table(("type",), (("laptop",),), allow="no")  # type: ignore[arg-type]
    with pytest.raises(RuleError, match="'type' stands after allow; write a list"):
        Table.allowing("type", [["laptop"]])


def test_a_table_shows_itself_in_one_short_line() -> None:
    assert repr(Table.forbidding(["type", "size"], [["laptop", "S"]] * 1000)) == (
        "<Table forbidding 1,000 rows of type, size>"
    )


@pytest.mark.parametrize("rows", ["laptop", 5, ["laptop"], [None]])
def test_rows_that_are_no_lists_are_refused(rows: object) -> None:
    with pytest.raises(RuleError, match="write a list"):
        Table.allowing(["type"], rows)  # type: ignore[arg-type]


def test_the_place_of_a_mistake_is_known() -> None:
    with pytest.raises(RuleError) as caught:
        SHOP.with_rules("type = laptop", Table.forbidding(["type"], [["laptop"], ["nothing"]]))
    assert caught.value.at == ("rules", 1, "rows", 1)


@given(
    rows=st.lists(st.tuples(*[st.integers(0, 2)] * 3), max_size=8),
    order=st.permutations([0, 1, 2]),
    allow=st.booleans(),
)
@fixed
def test_a_table_lists_what_is_allowed_or_forbidden(rows: list[tuple[int, ...]], order: list[int], allow: bool) -> None:
    grid = np.indices((3, 3, 3)).reshape(3, -1).T
    found = holds(InTable(tuple(order), tuple(rows), allow), grid)
    assert found.tolist() == [(tuple(row[order]) in rows) == allow for row in grid]


@given(table=tables(list(SHOP.attributes)), unfolded=st.sampled_from([0, 2_000_000]))
@fixed
def test_lists_and_wildcards_in_a_table_mean_what_they_say(table: Table, unfolded: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_cells, "MOST_UNFOLDED", unfolded)
        patch.setattr(table_cells, "TIMES_WRITTEN", 0)
        formula = SHOP.with_rules(table).rules[-1].formula
    assert holds(formula, ALL).tolist() == [means(table, SHOP, chosen) for chosen in CHOSEN]


def test_a_large_table_is_unfolded_where_its_lists_stand_for_little_more_than_is_written() -> None:
    values = [f"v{number}" for number in range(50)]
    space = Space({"a": values, "b": values, "c": values})
    pairs = [[a, [b, "v0"], c] for a in values[1:] for b in values[1:] for c in values[:9]]
    assert isinstance(space.with_rules(Table.allowing(["a", "b", "c"], pairs)).rules[0].formula, InTable)
    assert isinstance(
        space.with_rules(Table.allowing(["a", "b", "c"], [["*", "*", c] for c in values])).rules[0].formula, InBoxes
    )


def test_a_value_that_is_called_like_the_wildcard_goes_before_it() -> None:
    space = Space({"x": ["*", "a"], "y": ["*y", "b"]}, rules=[Table.allowing(["x", "y"], [["*", "*"]])])
    assert space.feasible(everything(space)).tolist() == [True, True, False, False]


def test_the_cells_of_a_table_are_pythons_own() -> None:
    table = Table.allowing(["n", "x"], [[np.int64(1), {"b", "a"}], [np.float64(0.5), np.array([1, 2])]])  # type: ignore[list-item]
    assert table.rows == ((1, ("a", "b")), (0.5, (1, 2)))
    assert [type(row[0]) for row in table.rows] == [int, float]
    assert table.document()["rows"] == [[1, ["a", "b"]], [0.5, [1, 2]]]


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ([], "row 2 of a table: an empty list stands for no value of type; list some, or remove the row"),
        (["laptop", "lapdog"], "row 2 of a table: type has no value 'lapdog'; did you mean laptop?"),
        ([["laptop"]], "row 2 of a table: type has no value ['laptop']"),
        ({"a": 1}, "row 2 of a table: type has no value {'a': 1}"),
        (True, "row 2 of a table: type has no value True"),
    ],
)
def test_a_cell_that_means_nothing_is_refused(cell: object, told: str) -> None:
    assert told in refusal({"allow": ["type"], "rows": [["laptop"], [cell]]})


def test_a_table_may_have_more_combinations_than_fit_into_an_integer() -> None:
    wide = Space({f"x{number}": range(100) for number in range(40)})
    row, near = [99] * 40, [99] * 39 + [98]
    table = wide.with_rules(Table.allowing([a.name for a in wide.attributes], [row, [0] * 40]))
    assert table.feasible(np.array([row, near, [0] * 40, [1] * 40])).tolist() == [True, False, True, False]


def test_nothing_is_evaluated_where_there_are_no_configurations() -> None:
    space = SHOP.with_rules("price <= 0.3", Table.allowing(["type"], [["laptop"]]), Table.allowing(["type"], []))
    assert space.feasible(np.zeros((0, 4), dtype=np.int64)).shape == (0,)


def test_a_table_reads_well() -> None:
    table = Table.forbidding(
        ["type", "main memory"], [["laptop", 64], ['big "one"', -5], ["tower", 64], ["tower", 128]]
    )
    text = SHOP.with_rules(table).rules[0].text
    assert text == 'forbid (type, main memory) in (laptop, 64), ("big \\"one\\"", -5), (tower, 64) and 1 more'
    assert SHOP.with_rules(Table.allowing(["type"], [])).rules[0].text == "allow only (type) in nothing"
    sets = Table.allowing(["type", "main memory"], [[["laptop", "tower"], "*"]])
    assert SHOP.with_rules(sets).rules[0].text == "allow only (type, main memory) in ({laptop, tower}, *)"


def test_a_negation_is_written_without_a_double_not() -> None:
    assert isinstance(SHOP.names.parse("not not type = laptop"), Is)
    assert isinstance(SHOP.names.parse("not price <= 0.3"), AtMost)
    assert isinstance(SHOP.names.parse("not type = laptop"), Not)


def test_a_rule_of_another_space_is_read_anew() -> None:
    other = Space({"x": ["b", "a"]}, rules=["x = a"])
    space = Space({"x": ["a", "b"]}).with_rules(*other.rules)
    assert satisfied(space, "x = a") == [["a"]]
    assert space.feasible(everything(space)).tolist() == [True, False]


def test_threads_share_the_parser() -> None:
    spaces = [Space([Attribute(f"x{n}", [f"v{n}", "other"])]) for n in range(8)]

    def read(number: int) -> Rule:
        space = spaces[number % 8]
        return space.with_rules(f"x{number % 8} = v{number % 8} or x{number % 8} = v{number % 8}").rules[0]

    with ThreadPoolExecutor(8) as pool:
        rules = list(pool.map(read, range(400)))
    assert all(holds(rule.formula, np.array([[0], [1]])).tolist() == [True, False] for rule in rules)


@pytest.mark.parametrize("rule", ["x = ", "x = unknown"])
def test_a_mistake_brings_no_error_of_the_parser_along(rule: str) -> None:
    with pytest.raises(RuleError) as caught:
        Space([Attribute("x", ["a", "b"])]).with_rules(rule)
    assert caught.value.__context__ is None
