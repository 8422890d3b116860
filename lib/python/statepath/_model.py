"""Models: which class may follow which."""

from __future__ import annotations

import html
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._durations import AtEnds, Durations, durations_of, ends_of, is_timed
from ._expressions import Rules, rules_of
from ._errors import ModelError, StatepathError, needed
from ._labels import Meaning, names_of_labels
from ._scores import array_of, file_name, integers_of, number_of, seconds_of

Scheme = Literal["BIO", "IOB1", "IOB2", "IOE1", "IOE2", "BIOES", "IOBES", "BILOU", "BIOUL", "BMES"]
Ends = ArrayLike | Mapping[str, float] | Iterable[str]

_OWN_NAME = "<model>"
_PLACE = re.compile(re.escape(_OWN_NAME) + r"(?::\d+:\d+)?: ")
_DURATIONS = re.compile(r'^key "durations"(?:, class ("(?:[^"\\]|\\.)*"))?: ')
_MOST_CHAINS = 16


# ---- what users write, as the JSON that the library reads ----


def _names(classes: Iterable[Any], what: str = "classes") -> list[str]:
    if isinstance(classes, (str, bytes)):
        raise ModelError(f"{what}= is the text {classes!r}: give a list of names")
    if not isinstance(classes, Iterable) or getattr(classes, "ndim", 1) == 0:
        raise ModelError(f"{what}={classes!r}: give a list of names")
    names = list(classes)
    strange = [c for c in names if isinstance(c, (list, tuple, dict, set, np.ndarray))]
    if strange:
        raise ModelError(f"{what}= holds {strange[0]!r}: give a list of names")
    return [str(c) for c in names]


def _table(x: Any, name: str, n: int) -> NDArray[np.float64]:
    """A square matrix of numbers, rows = from."""
    a = array_of(x, name)
    if a.dtype.kind not in "biuf":
        raise ModelError(f"{name}= holds {a.dtype}, not numbers")
    if a.shape != (n, n):
        raise ModelError(f"{name}= has shape {a.shape}: {n} names ask for ({n}, {n}), rows = from")
    return a.astype(np.float64)


def _number(x: float) -> float | None:
    """None where forbidden."""
    return None if x == -math.inf else float(x)


def _finite(a: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    if np.any(np.isnan(a)) or np.any(a == np.inf):
        where = tuple(int(i) for i in np.argwhere(np.isnan(a) | (a == np.inf))[0])
        raise ModelError(f"{name}={a[where]} at {where}: log weights are finite, or -inf where forbidden")
    return a


def _mapping(x: Any, name: str, of: str) -> Mapping[Any, Any]:
    if not isinstance(x, Mapping):
        raise ModelError(f"{name}={x!r}: give a mapping of {of}")
    return x


def _lists(x: Mapping[Any, Iterable[Any]], name: str) -> dict[str, list[str]]:
    out = {}
    for key, items in x.items():
        if isinstance(items, str):
            raise ModelError(f'{name}[{str(key)!r}] is the text {items!r}: give a list of names, ["{items}"]')
        out[str(key)] = _names(items, f"{name}[{str(key)!r}]")
    return out


def _by_name(x: Any, names: list[str], name: str) -> dict[str, float]:
    """Numbers by name, given as a mapping or in order."""
    if isinstance(x, Mapping):
        return {str(k): number_of(v, f"{name}[{str(k)!r}]") for k, v in x.items()}
    a = array_of(x, name)
    if a.shape != (len(names),) or a.dtype.kind not in "biuf":
        raise ModelError(f"{name}= has shape {a.shape} and type {a.dtype}: {len(names)} names ask for as many numbers")
    return {n: float(v) for n, v in zip(names, a, strict=True)}


def _ends(x: Any, names: list[str], name: str) -> list[str] | dict[str, float]:
    """Where a recording may start or end: names, or truth values in order, or probabilities by name or in order."""
    if isinstance(x, Mapping):
        return {k: v for k, v in _by_name(x, names, name).items() if v != 0}
    if isinstance(x, str):
        raise ModelError(f'{name}={x!r}: give a list of names, ["{x}"]')
    if not isinstance(x, Iterable) or getattr(x, "ndim", 1) == 0:
        raise ModelError(f"{name}={x!r}: give a list of names, truth values in order, or probabilities by name")
    items = x.tolist() if isinstance(x, np.ndarray) else list(x)
    if all(isinstance(i, str) for i in items):
        return list(items)
    if len(items) != len(names):
        raise ModelError(f"{name}= has {len(items)} numbers and there are {len(names)} names")
    if all(isinstance(i, (bool, np.bool_)) or (isinstance(i, int) and i in (0, 1)) for i in items):
        return [n for n, i in zip(names, items, strict=True) if i]
    return {k: v for k, v in _by_name(x, names, name).items() if v != 0}


def _rules(rules: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """allow, forbid, log_weights, probabilities as the members of the JSON."""
    n = len(names)
    allow, forbid = rules.get("allow"), rules.get("forbid")
    log_weights, probabilities = rules.get("log_weights"), rules.get("probabilities")
    out: dict[str, Any] = {}
    if sum(x is not None for x in (allow, forbid)) > 1:
        raise ModelError("give allow= or forbid=, not both")
    if sum(x is not None for x in (log_weights, probabilities)) > 1:
        raise ModelError("give log_weights= or probabilities=, not both")
    weights = None
    if log_weights is not None:
        weights = _finite(_table(log_weights, "log_weights", n), "log_weights")
    elif probabilities is not None:
        weights = _table(probabilities, "probabilities", n)
    if isinstance(allow, Mapping):
        out["allow"] = _lists(allow, "allow")
    elif isinstance(forbid, Mapping):
        out["forbid"] = _lists(forbid, "forbid")
    elif allow is not None or forbid is not None:
        name = "allow" if allow is not None else "forbid"
        matrix = _table(allow if allow is not None else forbid, name, n)
        if np.any((matrix != 0) & (matrix != 1)):
            raise ModelError(f"{name}= holds other numbers than 0 and 1; weights are given as log_weights= or probabilities=")
        out["matrix"] = (matrix if name == "allow" else 1 - matrix).astype(int).tolist()
    elif weights is not None:
        out["matrix"] = (weights > -np.inf if log_weights is not None else weights != 0).astype(int).tolist()
    else:
        out["forbid"] = {}
    if weights is not None and log_weights is not None:
        out["log_weights"] = [[_number(x) for x in row] for row in weights.tolist()]
    elif weights is not None:
        out["probabilities"] = weights.tolist()
    return out


_OPTIONS = ("temperature", "transition_weight", "prior_weight", "floor")


def _members(given: dict[str, Any], names: list[str], classes: list[str]) -> dict[str, Any]:
    """Everything else that is given as members of the JSON."""
    out: dict[str, Any] = {k: str(given[k]) for k in ("name", "description", "source") if given.get(k) is not None}
    for end in ("start", "end"):
        if given.get(end) is not None:
            out[end] = _ends(given[end], names, end)
        key = end + "_log_weights"
        if given.get(key) is not None:
            weights = _by_name(given[key], names, key)
            _finite(np.array(list(weights.values()), float), key)
            out[key] = {k: _number(v) for k, v in weights.items()}
    if given.get("min_dwell") is not None:
        dwell = given["min_dwell"]
        if not isinstance(dwell, Mapping):
            steps = array_of(dwell, "min_dwell")
            if steps.ndim and steps.shape != (len(names),):
                raise ModelError(f"min_dwell= has shape {steps.shape}: {len(names)} names ask for as many numbers")
            dwell = dict(zip(names, np.broadcast_to(steps, len(names)).tolist(), strict=True))
        steps_of = {k: number_of(v, f"min_dwell[{str(k)!r}]") for k, v in dwell.items()}
        out["min_dwell"] = {str(k): int(v) if v.is_integer() else v for k, v in steps_of.items()}
    at_end = given.get("min_dwell_at_end", False)
    if not isinstance(at_end, (bool, np.bool_)):
        raise ModelError(f"min_dwell_at_end={at_end!r}: it is True or False")
    if at_end:
        out["min_dwell_at_end"] = True
    if given.get("durations") is not None:
        out["durations"] = durations_of(given["durations"])
    at_ends = given.get("durations_at_ends")
    if given.get("rules") is not None:
        out["rules"] = rules_of(given["rules"])
    if at_ends is not None and not (isinstance(at_ends, str) and at_ends == "cut"):
        out["durations_at_ends"] = ends_of(at_ends)
    if given.get("prior") is not None:
        out["prior"] = _by_name(given["prior"], classes, "prior")
    if given.get("aliases") is not None:
        aliases = _mapping(given["aliases"], "aliases", "classes to lists of names")
        out["aliases"] = _lists({k: [v] if isinstance(v, str) else v for k, v in aliases.items()}, "aliases")
    decoding = {k: number_of(given[k], k) for k in _OPTIONS if given.get(k) is not None}
    if decoding:
        out["decoding"] = decoding
    return out


def _parse(document: dict[str, Any]) -> _core.Model:
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise ModelError("the model holds NaN or infinity where a number is needed") from None
    try:
        return _core.model_from_json(text, _OWN_NAME)
    except ModelError as error:
        sentence = _PLACE.sub("", str(error))
        sentence = sentence.removeprefix('key "rules": ')
        raise ModelError(_DURATIONS.sub(lambda found: f"durations[{found[1]}]: " if found[1] else "durations=: ", sentence)) from None


# ---- the model ----


class Model:
    """Which class may follow which: the rules that decoding obeys exactly.

    Immutable, hashable, pickled as JSON; two models are equal when their JSON is.

    Parameters
    ----------
    classes : sequence of str
        The K classes, in the order of the score columns.
    allow : mapping or array, optional
        What may follow each class: ``{"Wake": ["Wake", "N1"], ...}`` with every class as a key, or a boolean matrix, rows = from.
        Without it everything is allowed that has a weight, or everything.
    forbid : mapping or array, optional
        In its place what may not follow; all else is allowed.
    log_weights, probabilities : array, optional
        Weights of the transitions, rows = from: nats with -inf where forbidden (the matrix of a trained CRF), or probabilities, 0 where
        forbidden, each row summing to 1.
    start, end : sequence or mapping, optional
        Where a recording may start and end: names, truth values in order, or probabilities by name or in order. Without: anywhere.
    start_log_weights, end_log_weights : mapping or array, optional
        What starting and ending weighs, in nats, beside `log_weights`.
    min_dwell : mapping or int, optional
        Steps that a class, once entered, stays at least.
    min_dwell_at_end : bool
        A run cut off by the end of the recording must be long enough too.
    durations : mapping, optional
        How long the runs of a class are: ``{"min": 3, "max": 40}``; ``{"pmf": [0.5, 0.3, 0.2]}``, the probabilities of 1, 2, ... steps; or
        ``{"negative_binomial": {"mean": 20, "dispersion": 2}}``, ``{"poisson": {"mean": 20}}`` or ``{"log_normal": {"median": 20, "sigma": 1}}``,
        with ``"min"`` and ``"max"`` beside it where it is cut. A length is a number of steps or a time: ``"90s"``, ``"15min"``, ``"1h"``, a
        timedelta. Times need the length of a step, `epoch_seconds` of :func:`decode`.
    durations_at_ends : {"cut", "whole"} or mapping of "start" and "end" to them
        Runs at the ends of a recording and beside gaps may be pieces of longer ones, or are whole.
    rules : list of str or mapping, optional
        Rules over more than two steps, each of which the whole path must match: ``"never REM Wake REM"``, ``"at_least 1 N3"``,
        ``"not_before 60min REM from first N1"``, ``"every put preceded_by taken"``, ``"order [pour, cut, clean]"``, or any regular expression
        over classes. A mapping, ``{"rule": "at_least 1 N3", "name": "n3", "cost": 2.3, "at_gap": "may"}``, gives a name, and the nats that a
        violation costs where it is not forbidden. Times need `epoch_seconds` of :func:`decode`.
    states : mapping, optional
        State to the class it emits; all but `rules` then speaks of states.
    prior : mapping or array, optional
        Class frequencies of the classifier's training set; see `prior_weight` of :func:`decode`.
    aliases : mapping, optional
        Other names of a class in files and data frames.
    temperature, transition_weight, prior_weight, floor : float, optional
        Used by :func:`decode` where its options of the same name are not given.
    name, description, source : str, optional
        What reports say of the model.

    Examples
    --------
    >>> import statepath as sp
    >>> door = sp.Model(
    ...     ["closed", "opening", "open"],
    ...     {"closed": ["closed", "opening"], "opening": ["opening", "open", "closed"], "open": ["open", "closed"]},
    ...     start=["closed", "open"],
    ...     name="door",
    ... )
    >>> door
    Model 'door': 3 classes, 2 forbidden transitions
    >>> door.forbidden
    [('closed', 'open'), ('open', 'opening')]
    >>> door.is_legal(["closed", "opening", "open"]), door.is_legal([0, 2])
    (True, False)

    What it was made of can be read:

    >>> door.name, door.classes, door.n_classes
    ('door', ('closed', 'opening', 'open'), 3)
    >>> door.allow.astype(int).tolist(), door.start, door.end, door.log_weights is None
    ([[1, 1, 0], [1, 1, 1], [1, 0, 1]], array([  0., -inf,   0.]), None, True)
    >>> slow = door.with_(min_dwell={"opening": 3}, prior=[0.5, 0.1, 0.4], description="A door that opens slowly", source="its maker")
    >>> slow.min_dwell, slow.prior
    ({'opening': 3}, array([0.5, 0.1, 0.4]))
    >>> slow.description, slow.source
    ('A door that opens slowly', 'its maker')
    >>> shifts = sp.Model(["work", "rest"], {"day": ["day", "off"], "off": ["off", "night"], "night": ["night", "off"]},
    ...                   states={"day": "work", "off": "rest", "night": "work"})
    >>> shifts.states, shifts.n_states, shifts.n_classes
    (('day', 'off', 'night'), 3, 2)

    How long a class lasts is decoded exactly, by every strategy:

    >>> import numpy as np
    >>> swing = door.with_(durations={"opening": {"pmf": np.array([0.0, 0.5, 0.5])}, "open": {"min": "20s", "max": "1min"}})
    >>> swing.durations, swing.durations_at_ends
    ({'opening': {'pmf': [0, 0.5, 0.5]}, 'open': {'min': '20s', 'max': '60s'}}, 'cut')
    >>> path = ["closed", "opening", "opening", "open", "open", "closed"]
    >>> swing.is_legal(path, epoch_seconds=10), swing.is_legal(path, epoch_seconds=5)
    (True, False)

    So are rules over more than two steps:

    >>> once = door.with_(rules=["at_most 1 runs of open", {"name": "ends", "rule": "last closed", "cost": 2.5}])
    >>> once
    Model 'door': 3 classes, 2 forbidden transitions, 2 rules
    >>> once.rules
    ['at_most 1 runs of open', {'name': 'ends', 'rule': 'last closed', 'cost': 2.5}]
    >>> once.is_legal(["open", "closed", "opening", "open"])
    False
    """

    __slots__ = ("__weakref__", "_any_step", "_chains", "_fields", "_handle", "_json", "_rules", "_settings")

    _handle: _core.Model
    _any_step: Model | None  # with durations in time: the same model, but that those allow any length; what holds whatever a step is
    _chains: dict[float, _core.Chain]  # for columns in the model's order, with its own weight; by seconds of a step, 0 where it does not matter
    _fields: dict[str, Any]
    _json: str | None
    _settings: dict[Any, Any]  # those of _request.Settings that calls have asked for
    _rules: tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]] | None

    def __init__(
        self,
        classes: Sequence[str],
        allow: ArrayLike | Mapping[str, Iterable[str]] | None = None,
        *,
        forbid: ArrayLike | Mapping[str, Iterable[str]] | None = None,
        log_weights: ArrayLike | None = None,
        probabilities: ArrayLike | None = None,
        start: Ends | None = None,
        end: Ends | None = None,
        start_log_weights: ArrayLike | Mapping[str, float] | None = None,
        end_log_weights: ArrayLike | Mapping[str, float] | None = None,
        min_dwell: Mapping[str, int] | Sequence[int] | int | None = None,
        min_dwell_at_end: bool = False,
        durations: Durations | None = None,
        durations_at_ends: AtEnds = "cut",
        rules: Rules | None = None,
        states: Mapping[str, str] | None = None,
        prior: ArrayLike | Mapping[str, float] | None = None,
        aliases: Mapping[str, Iterable[str] | str] | None = None,
        temperature: float | None = None,
        transition_weight: float | None = None,
        prior_weight: float | None = None,
        floor: float | None = None,
        name: str = "model",
        description: str | None = None,
        source: str | None = None,
    ) -> None:
        given = {k: v for k, v in locals().items() if k not in ("self", "classes", "states")}
        class_names = _names(classes)
        names = class_names if states is None else _names(_mapping(states, "states", "states to classes"), "states")
        document: dict[str, Any] = {"statepath_model": 1, "classes": class_names}
        if states is not None:
            document["states"] = {str(k): str(v) for k, v in states.items()}
        document |= _rules(given, names) | _members(given, names, class_names)
        self._take(_parse(document))

    def _take(self, core: _core.Model) -> None:
        set_ = object.__setattr__
        fields = core.fields()
        set_(self, "_handle", core)
        set_(self, "_fields", fields)
        set_(self, "_settings", {})
        set_(self, "_json", None)
        set_(self, "_rules", None)
        set_(self, "_chains", {})
        set_(self, "_any_step", None)
        if fields["has_times"]:
            durations = {k: {"min": 1} if is_timed(d) else d for k, d in self.durations.items()}
            rules = [r for r, has_time in zip(self.rules, fields["timed_rules"], strict=True) if not has_time]
            set_(self, "_any_step", self.with_(durations=durations, rules=rules))
        else:
            self._compiled()

    @classmethod
    def _of(cls, core: _core.Model) -> Model:
        self = cls.__new__(cls)
        self._take(core)
        return self

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a model does not change: write model.with_({name}=...)")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a model does not change")

    # -- from elsewhere --

    @staticmethod
    def load(name_or_file: str | os.PathLike[str]) -> Model:
        """A shipped model by its name, or a model file.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model.load("sleep-aasm")
        Model 'sleep-aasm': 5 classes, 4 forbidden transitions
        """
        return Model._of(_core.model_load(file_name(name_or_file)))

    @staticmethod
    def shipped() -> list[str]:
        """Names of the shipped models.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model.shipped()
        ['actions-coffee', 'entities-conll', 'membrane-helix', 'sleep-aasm', 'sleep-clinical', 'sleep-permissive', 'sleep-rodent', 'sleep-strict', 'sleep-textbook']
        """
        return _core.model_names()

    @staticmethod
    def from_json(text: str) -> Model:
        """A model from the text of a model file.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model.from_json('{"statepath_model": 1, "classes": ["a", "b"], "forbid": {"a": ["b"]}}').forbidden
        [('a', 'b')]
        """
        if not isinstance(text, str) or "\0" in text:
            raise ModelError(f"text={text!r}: a model as JSON is needed")
        return Model._of(_core.model_from_json(text, "model"))

    @staticmethod
    def bio(types_or_tags: Iterable[str], scheme: Scheme = "BIO", *, calibration: str | os.PathLike[str] | None = None, point: str | None = None) -> Model:
        """Tags of entities, from the types or from all tags in the classifier's order.

        I-X comes only after B-X or I-X, never first (BIO, which is IOB2). BIOES, BILOU and BMES mark the last tag and single ones; in
        IOB1 B-X stands only between two entities of one type; IOE2 marks the last tag of each entity, IOE1 of those that another of
        their type follows.

        Parameters
        ----------
        calibration : path, optional
            A file of operating points (viterbi_calibration.json): six biases, log weights of transitions by kind, the same for all types. Of
            BIOES, BILOU and BMES; starts and ends carry none, and what is forbidden stays so.
        point : str, optional
            Which operating point; default.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model.bio(["PER", "LOC"]).classes
        ('O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC')
        >>> id2label = {0: "B-PER", 1: "I-PER", 2: "O"}
        >>> sp.Model.bio(id2label.values()).forbidden
        [('O', 'I-PER')]
        """
        if point is not None and calibration is None:
            raise ModelError("point= is one of a file of operating points: calibration= names the file")
        points = None if calibration is None else os.fspath(calibration)
        return Model._of(_core.model_tags(scheme, _names(types_or_tags, "types_or_tags"), points, point))

    @staticmethod
    def left_right(classes: Sequence[str], step: int = 1) -> Model:
        """Stay, or go on by up to `step` classes; starts in the first, ends anywhere.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model.left_right(["begin", "middle", "end"]).is_legal(["begin", "begin", "middle", "end"])
        True
        """
        return _shape("left-right", classes, step)

    @staticmethod
    def cycle(classes: Sequence[str]) -> Model:
        """Stay or go to the next class; the last goes to the first.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model.cycle(["red", "green", "yellow"]).forbidden
        [('red', 'yellow'), ('green', 'red'), ('yellow', 'green')]
        """
        return _shape("cycle", classes, 1)

    @staticmethod
    def band(classes: Sequence[str], step: int = 1) -> Model:
        """Stay, or move by up to `step` classes either way.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model.band(["low", "mid", "high"]).forbidden
        [('low', 'high'), ('high', 'low')]
        """
        return _shape("band", classes, step)

    @staticmethod
    def from_labels(
        labels: Any,
        classes: Sequence[str] | None = None,
        *,
        lengths: ArrayLike | None = None,
        min_count: int = 1,
        probabilities: bool = False,
        smoothing: float = 0.0,
    ) -> Model:
        """The transitions and starts that labels show at least `min_count` times; staying is allowed for each class seen.

        Parameters
        ----------
        labels : array, or list of arrays
            Class numbers or names of one recording, of several, or of all one after the other with `lengths`; -1, None and "" are unscored.
        classes : sequence of str, optional
            Their names. Without: the names that occur, sorted, or ``class0``, ``class1``, ... for numbers.
        lengths : array of int, optional
            Steps of each recording.
        min_count : int
            How often a transition must occur to be allowed.
        probabilities : bool
            What is allowed has its log probability, by the counts, as :func:`fit` with method "counts" learns it. Otherwise there are rules
            alone.
        smoothing : float
            Added to the counts of what is allowed; with `probabilities`.

        Examples
        --------
        >>> import numpy as np, statepath as sp
        >>> sp.Model.from_labels([["a", "a", "b"], ["b", "b"]]).forbidden
        [('b', 'a')]
        >>> np.exp(sp.Model.from_labels([["a", "a", "a", "a", "b"], ["b", "b"]], probabilities=True).log_weights)
        array([[0.75, 0.25],
               [0.  , 1.  ]])
        """
        if smoothing and not probabilities:
            raise StatepathError("smoothing= is added to counts: it goes with probabilities=True")
        return _from_labels(labels, classes, lengths, min_count, smoothing if probabilities else None)

    @staticmethod
    def from_hmm(startprob: ArrayLike, transmat: ArrayLike, classes: Sequence[str] | None = None) -> Model:
        """A hidden Markov model's start probabilities and transition matrix, rows = from; zeros stay forbidden.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model.from_hmm([1.0, 0.0], [[0.9, 0.1], [0.0, 1.0]], ["up", "down"]).forbidden
        [('down', 'up')]
        """
        first = array_of(startprob, "startprob")
        if first.ndim != 1 or first.dtype.kind not in "biuf":
            raise ModelError(f"startprob= has shape {first.shape} and type {first.dtype}: a number for each state is needed")
        n = len(first)
        names = _names(classes) if classes is not None else [f"class{k}" for k in range(n)]
        start = dict(zip(names, first.astype(float).tolist(), strict=False))
        if len(names) != n:
            raise ModelError(f"classes= has {len(names)} names and startprob {n} numbers")
        return Model(names, probabilities=transmat, start=start, name="hmm")

    @staticmethod
    def from_torchcrf(crf: Any, classes: Sequence[str] | None = None) -> Model:
        """The weights of a trained ``torchcrf.CRF`` (pytorch-crf), or of anything with its three tensors.

        Examples
        --------
        >>> import numpy as np, statepath as sp
        >>> class CRF:  # as trained
        ...     start_transitions = np.array([0.5, -0.5])
        ...     transitions = np.array([[0.1, -1.0], [0.2, 0.3]])
        ...     end_transitions = np.array([0.0, 0.0])
        >>> sp.Model.from_torchcrf(CRF(), ["a", "b"]).log_weights
        array([[ 0.1, -1. ],
               [ 0.2,  0.3]])
        """
        parts = []
        for name in ("start_transitions", "transitions", "end_transitions"):
            tensor = getattr(crf, name, None)
            if tensor is None:
                raise ModelError(f"crf has no {name}: a torchcrf.CRF is expected")
            tensor = tensor.detach() if hasattr(tensor, "detach") else tensor
            tensor = tensor.cpu().numpy() if hasattr(tensor, "cpu") else tensor
            parts.append(np.asarray(tensor, np.float64))
        start, weights, end = parts
        names = _names(classes) if classes is not None else [f"class{k}" for k in range(len(start))]
        return Model(names, log_weights=weights, start_log_weights=start, end_log_weights=end, name="crf")

    # -- what it is --

    @property
    def name(self) -> str:
        """What reports call it."""
        return str(self._fields["name"])

    @property
    def description(self) -> str | None:
        """What it is for, in a sentence."""
        return self._text("description")

    @property
    def source(self) -> str | None:
        """Where the rules come from."""
        return self._text("source")

    def _text(self, key: str) -> str | None:
        value = self._fields[key]
        return None if value is None else str(value)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the K classes."""
        found: tuple[str, ...] = self._fields["classes"]
        return found

    @property
    def n_classes(self) -> int:
        """K."""
        return len(self.classes)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the M states; the classes where none are declared."""
        found: tuple[str, ...] | None = self._fields["states"]
        return self.classes if found is None else found

    @property
    def n_states(self) -> int:
        """M."""
        return len(self.states)

    def _array(self, key: str, dtype: Any) -> NDArray[Any] | None:
        value = self._fields[key]
        return None if value is None else np.frombuffer(value, dtype)

    def _edges(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """From and to of each allowed transition."""
        row = np.frombuffer(self._fields["row"], np.int64)
        return np.repeat(np.arange(self.n_states), np.diff(row)), np.frombuffer(self._fields["to"], np.int32)

    @property
    def allow(self) -> NDArray[np.bool_]:
        """Allowed transitions of the states, [M,M], rows = from; read-only."""
        out = np.zeros((self.n_states, self.n_states), bool)
        out[self._edges()] = True
        out.flags.writeable = False
        return out

    @property
    def log_weights(self) -> NDArray[np.float64] | None:
        """Log weights of the transitions in nats, [M,M], -inf where forbidden; None for a boolean model. Read-only."""
        weight = self._array("weight", np.float64)
        if weight is None:
            return None
        out = np.full((self.n_states, self.n_states), -np.inf)
        out[self._edges()] = weight
        out.flags.writeable = False
        return out

    @property
    def start(self) -> NDArray[np.float64] | None:
        """What starting in each state weighs, nats, -inf where it may not; None: anywhere, at no weight."""
        return self._array("start", np.float64)

    @property
    def end(self) -> NDArray[np.float64] | None:
        """The same for ending."""
        return self._array("end", np.float64)

    @property
    def min_dwell(self) -> dict[str, int]:
        """Least steps of a stay, of the states that ask for more than 1."""
        dwell = self._array("min_dwell", np.int32)
        return {} if dwell is None else {n: int(d) for n, d in zip(self.states, dwell, strict=True) if d > 1}

    @property
    def durations(self) -> dict[str, dict[str, Any]]:
        """How long the runs of the classes are that have durations, as they were given; times in seconds, as ``"720s"``."""
        found: dict[str, dict[str, Any]] = json.loads(self.to_json()).get("durations", {})
        return found

    @property
    def durations_at_ends(self) -> str | dict[str, str]:
        """What runs at the ends of a recording are: "cut", "whole", or which at its "start" and "end"."""
        found: str | dict[str, str] = json.loads(self.to_json()).get("durations_at_ends", "cut")
        return found

    @property
    def rules(self) -> list[str | dict[str, Any]]:
        """The rules over more than two steps, as the JSON has them."""
        found: list[str | dict[str, Any]] = json.loads(self.to_json()).get("rules", [])
        return found

    @property
    def prior(self) -> NDArray[np.float64] | None:
        """Class frequencies of the classifier's training set, [K], or None."""
        return self._array("prior", np.float64)

    def _class_rules(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Which classes may follow each other [K,K], start [K] and end [K]."""
        if self._rules is None:
            k = self.n_classes
            flat = np.frombuffer(self._of_any_step()._compiled().rules(), np.bool_)
            rules = (flat[: k * k].reshape(k, k), flat[k * k : k * k + k], flat[k * k + k :])
            object.__setattr__(self, "_rules", rules)
        assert self._rules is not None
        return self._rules

    @property
    def forbidden(self) -> list[tuple[str, str]]:
        """Pairs of classes that may not follow each other; with durations in time, whatever the length of a step."""
        return [(self.classes[i], self.classes[j]) for i, j in np.argwhere(~self._class_rules()[0])]

    def check(self) -> list[str]:
        """What a model may have and is rarely meant, as sentences: a class that is never left or reached, and the like.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model(["a", "b"], {"a": ["a"], "b": ["a", "b"]}).check()
        ['class "a" can never be left: only itself may follow it']
        """
        return self._handle.warnings()

    # -- paths --

    def is_legal(self, path: ArrayLike | Sequence[str], *, epoch_seconds: float | None = None) -> bool:
        """Does the model allow the path, given in numbers or names: its transitions, start, end, minimum dwell and durations?

        Durations in time need `epoch_seconds`, the length of a step.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model.load("sleep-aasm").is_legal(["Wake", "N1", "N3"])
        False
        """
        numbers = Meaning(self.classes, self).single(path, "path")
        if np.any(numbers < 0):
            return False
        t = len(numbers)
        out = np.empty(1)
        inputs = {"scores": np.zeros((t, self.n_classes), np.float32), "offsets": np.array([0, t], np.int64)}
        _core.path_scores(self._compiled(epoch_seconds), inputs, {"kind": 3, "threads": 1}, numbers, out)
        return bool(out[0] > -np.inf)

    def violations(self, path: Any, *, lengths: ArrayLike | None = None) -> list[tuple[int, int, str | None, str | None]]:
        """Where a path breaks the rules: (recording, step, from, to).

        `from` is None where the recording may not start with `to`; `to` is None where it may not end with `from`. Steps without class
        (-1) break the chain. Minimum dwell, durations and `rules` over more steps are not looked at; :meth:`is_legal` does, and
        :func:`compare` counts violations of `rules`.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model.load("sleep-aasm").violations(["Wake", "N3", "N2"])
        [(0, 1, 'Wake', 'N3')]
        """
        allow, start, end = self._class_rules()
        names = self.classes
        out: list[tuple[int, int, str | None, str | None]] = []
        meaning = Meaning(names, self)
        for n, part in enumerate(_recordings(meaning.arrays(path, "path"), lengths)):
            p = meaning.single(part, "path")
            if len(p) and p[0] >= 0 and not start[p[0]]:
                out.append((n, 0, None, names[p[0]]))
            before, after = p[:-1], p[1:]
            wrong = (before >= 0) & (after >= 0) & ~allow[before, after]
            out += [(n, int(t) + 1, names[p[t]], names[p[t + 1]]) for t in np.flatnonzero(wrong)]
            if len(p) and p[-1] >= 0 and not end[p[-1]]:
                out.append((n, len(p) - 1, names[p[-1]], None))
        return out

    # -- changed, written, shown --

    def with_(self, **changes: Any) -> Model:
        """A model with other rules; takes the arguments of the constructor but for `classes` and `states`.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model.load("sleep-aasm").with_(min_dwell={"N1": 2}, name="mine").min_dwell
        {'N1': 2}
        """
        known = {"allow", "forbid", "log_weights", "probabilities", "start", "end", "start_log_weights", "end_log_weights", "min_dwell",
                 "min_dwell_at_end", "durations", "durations_at_ends", "rules", "prior", "aliases", "name", "description", "source", *_OPTIONS}  # fmt: skip
        for key in changes:
            if key not in known:
                raise StatepathError(f"with_() knows no {key}=; it takes {', '.join(sorted(known))}")
        document: dict[str, Any] = json.loads(self.to_json())
        matrix = {"allow", "forbid", "log_weights", "probabilities"} & set(changes)
        if matrix:
            for key in ("allow", "forbid", "matrix", "log_weights", "probabilities", "tied"):
                document.pop(key, None)
            document |= _rules(changes, list(self.states))
        for key in changes:
            if key in _OPTIONS:
                document.get("decoding", {}).pop(key, None)
            elif key not in matrix:
                document.pop(key, None)
        decoding = document.pop("decoding", {})
        document |= _members(changes, list(self.states), list(self.classes))
        decoding |= document.get("decoding", {})
        if decoding:
            document["decoding"] = decoding
        return Model._of(_parse(document))

    def to_json(self) -> str:
        """The text of a model file; reading it back gives the same model.

        Examples
        --------
        >>> import statepath as sp
        >>> model = sp.Model(["a", "b"], {"a": ["a"], "b": ["a", "b"]})
        >>> sp.Model.from_json(model.to_json()) == model
        True
        """
        if self._json is None:
            object.__setattr__(self, "_json", self._handle.to_json())
        assert self._json is not None
        return self._json

    def save(self, file: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the model file, at once and as a whole; an existing file is replaced only with `force`.

        Examples
        --------
        >>> import statepath as sp, tempfile, os
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sp.Model(["a", "b"]).save(os.path.join(folder, "mine.model.json"))
        ...     sp.Model.load(os.path.join(folder, "mine.model.json"))
        Model 'model': 2 classes, 0 forbidden transitions
        """
        self._handle.save(file_name(file), force)

    def to_frame(self) -> Any:
        """The rules as a pandas data frame, rows = from: truth values, or log weights.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.Model(["a", "b"], {"a": ["a"], "b": ["a", "b"]}).to_frame().to_numpy()
        array([[ True, False],
               [ True,  True]])
        """
        pd = needed("pandas", "data frames are made")
        values = self.log_weights if self.log_weights is not None else self.allow
        return pd.DataFrame(values, index=pd.Index(self.states, name="from"), columns=pd.Index(self.states, name="to"))

    def _summary(self) -> str:
        n = int((~self._class_rules()[0]).sum()) if self.n_classes <= 4096 else self.n_states**2 - len(self._edges()[1])
        states = f", {self.n_states} states" if self._fields["states"] is not None else ""
        n_durations = self._fields["n_durations"]
        durations = f", durations of {n_durations} class{'' if n_durations == 1 else 'es'}" if n_durations else ""
        n_rules = len(self._fields["timed_rules"])
        rules = f", {n_rules} rule{'' if n_rules == 1 else 's'}" if n_rules else ""
        rules += ", windows over neighbouring steps" if self._fields["windows"] else ""
        return f"{self.n_classes} classes{states}, {n} forbidden transition{'' if n == 1 else 's'}{durations}{rules}"

    def __repr__(self) -> str:
        return f"Model {self.name!r}: {self._summary()}"

    def _repr_html_(self) -> str:
        most, pairs = 20, self.forbidden
        escape = html.escape
        listed = ", ".join(f"{escape(a)} → {escape(b)}" for a, b in pairs[:most]) + (f" and {len(pairs) - most} more" if len(pairs) > most else "")
        text = f"<p><b>{escape(self.name)}</b>: {escape(self._summary())}</p>"
        if listed:
            text += f"<p>Forbidden: {listed}</p>"
        if self.n_states > most:
            return text
        head = "".join(f"<th>{escape(s)}</th>" for s in self.states)
        allow = self.allow
        rows = "".join(
            f"<tr><th>{escape(s)}</th>" + "".join(f"<td>{'✓' if allow[i, j] else '·'}</td>" for j in range(self.n_states)) + "</tr>"
            for i, s in enumerate(self.states)
        )
        return text + f"<table><thead><tr><th>from \\ to</th>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def __eq__(self, other: object) -> bool:
        return self.to_json() == other.to_json() if isinstance(other, Model) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.from_json, (self.to_json(),)

    # -- compiled --

    def _column_classes(self, columns: Sequence[str] | None) -> NDArray[np.int32] | None:
        """The class of each score column; None: in the model's order."""
        if columns is None or tuple(columns) == self.classes:
            return None
        return np.frombuffer(self._handle.align(list(columns)), np.int32)

    def _of_any_step(self) -> Model:
        """One that compiles without the length of a step, of the same classes."""
        return self if self._any_step is None else self._any_step

    def _compiled(self, epoch_seconds: Any = None) -> _core.Chain:
        """For columns in the model's order, with its own weight. ModelError for durations in time without the length of a step."""
        seconds = 0.0 if epoch_seconds is None else seconds_of(epoch_seconds)
        key = seconds if self._fields["has_times"] else 0.0
        found = self._chains.get(key)
        if found is None:
            found = self._handle.chain(None, self._transition_weight(None), key)
            if len(self._chains) >= _MOST_CHAINS:
                self._chains.clear()
            self._chains[key] = found
        return found

    def _transition_weight(self, given: float | None) -> float:
        own: float = self._fields["transition_weight"]
        return float(given) if given is not None else 1.0 if math.isnan(own) else own


# ---- builders ----


def _shape(kind: str, classes: Sequence[str], step: int) -> Model:
    return Model._of(_core.model_shape(kind, _names(classes), step))


def _recordings(x: Any, lengths: Any) -> list[NDArray[Any]]:
    """Sequences of labels, as arrays: one, a list of them, rows of an array, or all one after the other with lengths."""
    if lengths is not None:
        flat = array_of(x, "path")
        n = integers_of(lengths, "lengths")
        if flat.ndim != 1 or n.ndim != 1 or np.any(n < 0) or n.sum() != len(flat):
            raise StatepathError(f"lengths= add up to {n.sum()}, and there are {flat.size} steps")
        return list(np.split(flat, np.cumsum(n)[:-1])) if len(n) else []
    if isinstance(x, list):
        return x
    return list(x) if x.ndim == 2 else [x]


def _from_labels(labels: Any, classes: Sequence[str] | None, lengths: Any, min_count: int, smoothing: float | None) -> Model:
    """smoothing None: without probabilities."""
    parts = _recordings(Meaning(() if classes is None else _names(classes)).arrays(labels, "labels"), lengths)
    if any(not isinstance(p, np.ndarray) or p.ndim != 1 for p in parts):
        raise StatepathError("labels are one sequence of classes, or a list of sequences")
    seen = names_of_labels(parts)
    names = seen if classes is None else tuple(_names(classes))
    offsets = np.cumsum([0, *(len(p) for p in parts)], dtype=np.int64)
    meaning = Meaning(names)
    numbers = [meaning.numbers(p, "labels") for p in parts]
    rules = Model._of(_core.model_from_labels(list(names), np.concatenate(numbers), offsets, min_count))
    if smoothing is None:
        return rules
    from ._evaluate import fit  # which needs models

    return fit(numbers, rules=rules, classes=names, method="counts", tune="none", smoothing=smoothing, name=rules.name)
