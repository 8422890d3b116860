"""Keyword arguments are those of the table of options (`statepath help options`), with its types, choices and defaults."""
import inspect
import json
import re
import subprocess
import types
import typing

import numpy as np
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
    said = [name for name in rows if name not in texts and name not in ("trace_steps", "what_if")]
    assert said == []


# What the method of fitting makes no use of, as keywords of fit() and words of `statepath fit`.
UNUSED = [
    ({"method": "counts", "penalty": 2}, "--method counts --penalty 2"),
    ({"method": "counts", "memory": 3}, "--method counts --memory 3"),
    ({"method": "em", "tune": "kappa"}, "--method em --tune kappa"),
    ({"method": "em", "strategy": "mea"}, "--method em --for mea"),
    ({"method": "em", "smoothing": 2}, "--method em --smoothing 2"),
    ({"method": "em", "folds": 3}, "--method em --folds 3"),
    ({"tune": "none", "folds": 3}, "--tune none --folds 3"),
    ({"tune": "none", "strategy": "mea"}, "--tune none --for mea"),
    ({"memory": 0}, "--memory 0"),
    ({"folds": 1}, "--folds 1"),
    ({"penalty": -1.0}, "--penalty -1"),
    ({"smoothing": -1.0}, "--smoothing -1"),
]


@pytest.mark.parametrize("given, words", UNUSED, ids=[words for _, words in UNUSED])
def test_fit_refuses_what_the_program_does_in_the_same_words(program, tmp_path, given, words):
    labels, scores = np.array([0, 0, 1, 1] * 4), np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]] * 4)
    np.savez(tmp_path / "night.npz", probs=scores, labels=labels)
    done = subprocess.run([program, "fit", "night.npz", "-o", "m.json", *words.split()], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    with pytest.raises(sp.StatepathError) as error:
        sp.fit(labels, scores, classes=["a", "b"], kind="probs", **given)
    said = done.stderr.removeprefix("statepath: ").strip().replace("--for", "strategy=")
    assert str(error.value) == re.sub(r"--([a-z]+)(?: (-?[0-9.]+))?", lambda at: f"{at[1]}={at[2] or ''}", said).replace("==", "=")


def test_groups_are_refused_where_there_are_no_folds():
    labels, scores = [[0, 0, 1, 1]] * 4, [[[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]]] * 4
    with pytest.raises(sp.StatepathError, match="groups= changes nothing where method= is em"):
        sp.fit(labels, scores, classes=["a", "b"], kind="probs", method="em", groups=[0, 0, 1, 1])


def test_what_changes_nothing_is_refused():
    labels, scores = [[0, 0, 1, 1]] * 4, [[[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]]] * 4
    for word in ({"folds": 3}, {"strategy": "mea"}):
        with pytest.raises(sp.StatepathError, match="changes nothing where tune= is none"):
            sp.fit(labels, scores, classes=["a", "b"], tune="none", **word)
