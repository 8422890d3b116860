"""Keyword arguments are those of the table of options (`statepath help options`), with its types, choices and defaults."""
import inspect
import json
import subprocess
import types
import typing

import pytest

import statepath as sp
from statepath import _evaluate, _request

TYPES = {"flag": bool, "integer": int, "number": float}
DICTIONARIES = (_evaluate.Comparing, _evaluate.Evaluating, _evaluate.Learning, _request.Options)
FUNCTIONS = (sp.decode, sp.fit, sp.evaluate, sp.compare)  # of one name in several the last counts


@pytest.fixture(scope="module")
def rows(program):
    said = subprocess.run([program, "help", "options"], capture_output=True, text=True, check=True).stdout
    return {row.get("python", row["name"].replace("-", "_")): row for row in json.loads(said) if row["in_python"]}


@pytest.fixture(scope="module")
def keywords():
    """{name: hint} of all of them; of `strategy` that of fit()."""
    found = {}
    for one in (*DICTIONARIES, *FUNCTIONS):
        hints = typing.get_type_hints(one)
        names = [n for n, p in inspect.signature(one).parameters.items() if p.kind == p.KEYWORD_ONLY or n in ("strategies",)] if one in FUNCTIONS else hints
        found.update((name, hints[name]) for name in names if name in hints)
    return found


def kinds_of(hint):
    """Types and words that a hint lets through."""
    if typing.get_origin(hint) is typing.Literal:
        return set(typing.get_args(hint))
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return set().union(*map(kinds_of, typing.get_args(hint)))
    return {hint}


def test_each_row_is_a_keyword_and_each_keyword_of_judging_a_row(rows, keywords):
    assert [name for name in rows if name not in keywords] == []
    assert [name for name in _evaluate.Judging.__annotations__ if name not in rows] == []


def test_types_and_choices_are_those_of_the_table(rows, keywords):
    for name, row in rows.items():
        kinds = kinds_of(keywords[name])
        words = {"error" if kind == "raise" else kind for kind in kinds if isinstance(kind, str)}
        if row["type"] in TYPES:
            assert TYPES[row["type"]] in kinds, name
        elif "|" in row.get("value", "") and not row["more_words"]:
            assert words | ({"none"} if type(None) in kinds else set()) >= set(row["value"].split("|")) >= words, name


def test_defaults_are_those_of_the_table(rows):
    for name, parameter in inspect.signature(sp.fit).parameters.items():
        usual = rows.get(name, {}).get("default")
        if usual is not None:
            assert float(usual) == parameter.default, name


def test_docstrings_name_them(rows):
    texts = " ".join(function.__doc__ for function in FUNCTIONS)
    said = [name for name in rows if name not in texts and name not in ("trace_steps", "what_if_bytes")]
    assert said == []


def test_what_changes_nothing_is_refused():
    labels, scores = [[0, 0, 1, 1]] * 4, [[[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]]] * 4
    for word in ({"folds": 3}, {"strategy": "mea"}):
        with pytest.raises(sp.StatepathError, match="changes nothing where tune= is none"):
            sp.fit(labels, scores, classes=["a", "b"], tune="none", **word)
