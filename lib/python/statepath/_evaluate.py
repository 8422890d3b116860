"""compare(), evaluate() and fit()."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from . import _core
from ._errors import StatepathError, StatepathWarning, in_python
from ._hypnograms import entries_of, preset_of
from ._label_sets import LabelSets
from ._labels import Meaning, holds_annotations, names_of_labels
from ._model import Model
from ._report import Report, needs_library
from ._request import Classes, Gaps, Numbers, Places, Reading, Request, check_names, class_names, model_of, with_options
from ._scores import Batch, array_of, check_ends, ids_of, indexes_of, integers_of, join_or_break, labelled, number_of, real_steps, seconds_of, seed_of, texts_of, without_ignored

Progress = Callable[[str, int, int], object]


class Judging(TypedDict, total=False):
    """How agreement is judged; as the program's options of the same names; None: what they are without."""

    level: float | None
    seed: int | None
    weighted_kappa: Literal["linear", "quadratic"] | None
    preset: Literal["sleep", "tags", "actions", "none"] | None
    background: str | None
    margin: float | None
    wake_trim: float | None
    rule_costs: bool | None
    trace_steps: int | None
    what_if: str | None


class Coding(TypedDict, total=False):
    """What labels mean: `codes` and `map` as those of read_hypnogram(); whether numbers are columns or classes of the model."""

    codes: str | None
    map: Mapping[Any, str | None] | str | None
    label_order: Literal["columns", "model"] | None


class Comparing(Judging, Coding, Reading, total=False):
    """What compare() takes besides."""


class Evaluating(Judging, Coding, total=False):
    """What evaluate() takes besides."""

    epoch_seconds: float | None


_CODING = frozenset(Coding.__annotations__)
_ENCODING = _CODING - {"label_order"}
_JUDGING = frozenset(Evaluating.__annotations__) - _CODING
_TYPES = {name: Evaluating.__annotations__[name].__forward_arg__.partition(" ")[0] for name in _JUDGING}
_TRACE_STEPS = 100_000


def _meaning(columns: Sequence[str], model: Model, options: Mapping[str, Any]) -> Meaning:
    """What labels mean, by the options `codes`, `map`, `label_order` and `epoch_seconds`."""
    seconds = options.get("epoch_seconds")
    codes, map = preset_of(options.get("codes")), entries_of(options.get("map"))
    seconds = None if seconds is None else seconds_of(seconds)
    return Meaning(columns, model, codes=codes, map=map, epoch_seconds=seconds, order=options.get("label_order"))


def _split(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Those of judging, and those of reading; what labels mean is neither, and the length of a step is both."""
    judging = {k: v for k, v in options.items() if k in _JUDGING and v is not None}
    for key, value in judging.items():
        if key == "seed":
            judging[key] = seed_of(value)
        elif _TYPES[key] == "bool":
            judging[key] = int(bool(value))
        elif _TYPES[key] == "int" and (isinstance(value, bool) or not isinstance(value, (int, np.integer))):
            raise StatepathError(f"{key}={value!r}: a whole number is needed")
        elif _TYPES[key] == "float":
            judging[key] = number_of(value, key)
    return judging, {k: v for k, v in options.items() if k == "epoch_seconds" or (k not in _JUDGING and k not in _CODING)}


def _inputs(request: Request, ids: Any, subjects: Any, name: str) -> dict[str, Any]:
    batch = request.batch
    kind = request.kind
    return {
        **{k: v for k, v in request.inputs.items() if k != "labels"},
        "kind": _core.kind_of(batch.rows) if kind < 0 else kind,
        "n_classes": request.model.n_classes,
        "classes": request.columns,
        "ids": ids_of(ids, batch.n_recordings),
        "subjects": texts_of(subjects, batch.n_recordings, "subjects"),
        "name": name,
    }


def _decoding(options: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("floor", "temperature", "transition_weight", "prior_weight", "missing", "threads")
    return {k: options[k] for k in keys if options.get(k) is not None}


def _unpack(scores: Any, labels: Any, ids: Any) -> tuple[Any, Any, Any]:
    """Recordings as a mapping of ids."""
    if not isinstance(scores, Mapping):
        return scores, labels, ids
    names = list(scores)
    if isinstance(labels, Mapping):
        missing = [n for n in names if n not in labels]
        if missing:
            raise StatepathError(f"labels have no recording {missing[0]!r}")
        labels = [labels[n] for n in names]
    return [scores[n] for n in names], labels, names if ids is None else ids


def _warn(notices: list[str]) -> None:
    for sentence in notices:
        warnings.warn(in_python(sentence), StatepathWarning, stacklevel=3)


def comparing(
    scores: Any,
    labels: Any,
    model: Model | str,
    strategies: Sequence[str] | str | None,
    ids: Sequence[str] | None,
    subjects: Sequence[Any] | None,
    weights: Any,
    on_infeasible: str,
    name: str,
    options: Mapping[str, Any],
) -> tuple[Request, dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The arguments of compare() as the extension takes them: the request and its options, then recordings and options of the run."""
    check_names(options, Comparing.__annotations__)
    judging, reading = _split(options)
    scores, labels, ids = _unpack(scores, labels, ids)
    reading = without_ignored(scores, labels, reading, are_scored=True)
    request = Request(scores, model, **reading)
    inputs = _inputs(request, ids, subjects, name)
    if labels is not None:
        inputs["labels"] = _meaning(request.columns, request.model, options).of_batch(labels, request.batch, "labels")
    if weights is not None:
        inputs["weights"] = np.ascontiguousarray(request.batch.take(weights, "weights"), np.float64)
    if strategies is not None and not isinstance(strategies, Iterable):
        raise StatepathError(f"strategies={strategies!r}: names of strategies are needed")
    if on_infeasible not in ("report", "relax", "raise"):
        raise StatepathError(f'on_infeasible="{on_infeasible}": it is "report" (counts as wrong), "relax" (break the fewest rules) or "raise"')
    how = {"trace_steps": _TRACE_STEPS, **judging, **_decoding(reading)}
    if strategies is not None:
        how["strategies"] = strategies if isinstance(strategies, str) else ",".join(str(s) for s in strategies)
    how["on_infeasible"] = "error" if on_infeasible == "raise" else on_infeasible
    return request, reading, inputs, how


@with_options(Comparing)
def compare(
    scores: Any,
    labels: Any,
    model: Model | str,
    strategies: Sequence[str] | str | None = None,
    *,
    ids: Sequence[str] | None = None,
    subjects: Sequence[Any] | None = None,
    weights: Any = None,
    against: Mapping[str, Any] | None = None,
    cv: int | None = None,
    on_infeasible: Literal["report", "relax", "raise"] = "report",
    name: str = "scores",
    progress: Progress | None = None,
    **options: Unpack[Comparing],
) -> Report:
    """Decodes by several strategies and says what each gains and costs, with intervals over recordings.

    Parameters
    ----------
    scores, model
        As in :func:`decode`. A mapping names its recordings.
    labels : array, list or None
        The true class of each step in the shape of the paths: numbers, names or aliases of classes, hypnograms of :mod:`statepath.sleep`
        or YASA, annotations of MNE (of steps of `epoch_seconds`, 30 without); -1, None or NaN where it is not known. None: no labels.
        Labels [N,T] of which a row ends without a label ask for `lengths` or `mask`: nothing else says whether it is padded there.
        Where labels [N,T] are -100, as in the layout of Hugging Face, a step takes no part: at the end of a row it is padding, elsewhere `gaps`
        says what becomes of it.
    strategies : sequence of str, optional
        As in :func:`decode`; argmax, greedy and viterbi, with `cv` without greedy. The verdict leads with the first legal one besides greedy.
    ids : sequence of str, optional
        Names of the recordings.
    subjects : sequence, optional
        Whose each recording is: recordings of one are one unit of inference.
    weights : array, optional
        Weight of each step in likelihood and calibration, in the shape of the paths.
    against : mapping of str to scores, optional
        Scores of other classifiers for the same recordings; their strategies are called ``NAME.STRATEGY``.
    cv : int, optional
        So many folds: weights are learnt under the rules of the model, as :func:`fit` does by default, and each recording is decoded with
        what was learnt from the others. Recordings of one subject are never parted.
    on_infeasible : {"report", "relax", "raise"}
        A recording without allowed path counts as wrong, is decoded breaking the fewest rules, or raises.
    name : str
        What the report calls the scores.
    progress : callable, optional
        Called as ``progress(what, done, total)``.
    **options
        Those of :func:`decode` up to `threads` that say what the scores are; `codes` and `map` of labels, as in
        :func:`statepath.sleep.read_hypnogram`; `label_order`, "columns" or "model": what numbers of labels are where the columns are in
        another order than the model's classes, which is an error without it; and as the program's: `level`, `seed`, `epoch_seconds`,
        `weighted_kappa`, `preset`, `background`, `margin`, `wake_trim`, `rule_costs`.

    Returns
    -------
    Report

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> door = sp.Model(["closed", "open"], {"closed": ["closed", "open"], "open": ["open"]})
    >>> probs = np.array([[0.9, 0.1], [0.4, 0.6], [0.6, 0.4], [0.2, 0.8]])
    >>> report = sp.compare(probs, ["closed", "closed", "closed", "open"], door, ["argmax", "viterbi"])
    >>> report.data["strategies"]["argmax"]["illegal"], report.data["strategies"]["viterbi"]["illegal"]
    (1, 0)
    """
    library = needs_library()
    request, reading, inputs, how = comparing(scores, labels, model, strategies, ids, subjects, weights, on_infeasible, name, options)
    rivals = {}
    if against is not None and not isinstance(against, Mapping):
        raise StatepathError(f"against= is of type {type(against).__name__}: a mapping of names to scores is needed")
    for other, rows in (against or {}).items():
        rows, _, other_ids = _unpack(rows, None, None)
        request.batch.check_indexes(rows, f"against[{str(other)!r}]")
        rival = Request(rows, request.model, **reading)
        rivals[str(other)] = _inputs(rival, other_ids if other_ids is not None else inputs["ids"], None, str(other))
    if cv is not None:
        how["cv"] = _integer(cv, "cv")
        if cv < 2:
            raise StatepathError(f"cv={cv}: two folds at least")
    notices: list[str] = []
    made = library.compare(request.model.to_json(), inputs, how, rivals, progress, notices)
    _warn(notices)
    return Report._made(made)


# ---- paths that exist already ----


def _batch_of_paths(x: Any, lengths: Any, gaps: str | None, *, are_scored: bool = False) -> Batch:
    """Paths of any shape as a batch whose rows are steps: [T], [N,T] and its lengths, a list of [T], or [S] with lengths.

    Steps of [N,T] that are -100 are left out, as those of scores are.
    """
    real = segments = None
    empty = np.empty((0, 1))
    if isinstance(x, (list, tuple)) and len(x) and not isinstance(x[0], str) and np.ndim(x[0]) == 1:
        if lengths is not None:
            raise StatepathError("a list of recordings says itself how long they are: leave lengths= out")
        n = np.array([len(p) for p in x], np.int64)
        layout, shape = "list", ()
    else:
        a = array_of(x, "labels")
        if lengths is not None and a.ndim == 2:
            real = real_steps((a.shape[0], a.shape[1]), lengths, None)
            n, layout, shape = integers_of(lengths, "lengths"), "padded", a.shape
        elif lengths is not None:
            n, layout, shape = integers_of(lengths, "lengths"), "packed", ()
            if a.ndim != 1 or n.ndim != 1 or np.any(n < 0) or n.sum() != len(a):
                raise StatepathError(f"lengths= add up to {n.sum()}, and there are {a.size} steps")
        elif a.ndim == 1:
            n, layout, shape = np.array([len(a)], np.int64), "single", ()
        elif a.ndim == 2:
            real = labelled(a, None, gaps)
            if are_scored and real is None:
                check_ends(a)
            segments = None if real is None else join_or_break(real, gaps)
            n = np.full(a.shape[0], a.shape[1], np.int64) if real is None else real.sum(axis=1)
            layout, shape = "padded", a.shape
        else:
            raise StatepathError(f"labels have shape {a.shape}: give [T], [N,T], a list of [T], or [S] with lengths=")
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(n, dtype=np.int64)])
    rows = np.broadcast_to(empty.reshape(0, 1) if offsets[-1] == 0 else np.zeros((1, 1)), (int(offsets[-1]), 1))
    return Batch(rows, offsets, layout, real=real, shape=shape, segments=segments)


def _named(paths: Any, names: Any) -> dict[str, Any]:
    """Paths by their names."""
    if isinstance(paths, Mapping):
        if names is not None:
            raise StatepathError("names= are those of a list of paths; a mapping has its own")
        given = {str(k): v for k, v in paths.items()}
    elif names is None or isinstance(names, str):
        given = {"path" if names is None else names: paths}
    else:
        listed = [str(name) for name in names] if isinstance(names, Iterable) else None
        if listed is None or len(set(listed)) != len(listed):
            raise StatepathError(f"names={names!r}: a name for each of the paths is needed, none of them twice")
        if not hasattr(paths, "__len__") or len(paths) != len(listed):
            count = len(paths) if hasattr(paths, "__len__") else "no"
            raise StatepathError(f'names= has {len(listed)} names and paths= is a list of {count}; one path has one name: names="mine"')
        given = dict(zip(listed, paths, strict=True))
    if not given:
        raise StatepathError("paths= are empty: there is nothing to evaluate")
    return given


@with_options(Evaluating)
def evaluate(
    paths: Any,
    labels: Any,
    model: Model | str,
    *,
    names: Sequence[str] | str | None = None,
    lengths: Any = None,
    segments: Any = None,
    gaps: Gaps | None = None,
    ids: Sequence[str] | None = None,
    subjects: Sequence[Any] | None = None,
    name: str = "paths",
    progress: Progress | None = None,
    **options: Unpack[Evaluating],
) -> Report:
    """Judges paths that exist already, ours or others'.

    Parameters
    ----------
    paths : array, list, or mapping of names to them
        The classes of each recording's steps, in the forms of labels: [T], [N,T], a list of [T], or [S] with `lengths`; -1, None or NaN
        where undecided. A mapping compares several, each with the same recordings; so does a list of several with `names`.
    labels : array or list
        The true classes, in the same shape, as in :func:`compare`; None: only transitions are judged. `codes` and `map` are of them.
    model : Model or str
    names : sequence of str, or str, optional
        What the report calls the paths: a sequence of names goes with a list of as many paths, one name with one. Without: "path".
    lengths, segments : array of int, optional
        As in :func:`decode`.
    gaps : {"join", "break"}, optional
        What becomes of steps of [N,T] whose label is -100, such as special tokens: their neighbours become adjacent, or a new segment
        begins. Without, -100 may only end a row.
    ids, subjects, name, progress, **options
        As in :func:`compare`.

    Returns
    -------
    Report

    Examples
    --------
    >>> import statepath as sp
    >>> door = sp.Model(["closed", "open"], {"closed": ["closed", "open"], "open": ["open"]})
    >>> report = sp.evaluate({"mine": ["closed", "open", "closed"], "yours": [0, 1, 1]}, [0, 1, 1], door)
    >>> report.illegal("mine")
        from      to  count
    0   open  closed      1
    >>> report.data["strategies"]["yours"]["accuracy"]
    1.0
    >>> sp.evaluate([[0, 1, 1], [0, 0, 1]], [0, 1, 1], door, names=["mine", "yours"]).strategies
    ['mine', 'yours']
    """
    library = needs_library()
    check_names(options, Evaluating.__annotations__)
    judging, _ = _split(options)
    found = model_of(model)
    coded, plain = _meaning(found.classes, found, options), Meaning(found.classes, found, epoch_seconds=judging.get("epoch_seconds"))
    given = _named(paths, names)
    first = next(iter(given.values()))
    by_labels = labels is not None and not holds_annotations(labels)
    batch = _batch_of_paths(coded.arrays(labels, "labels") if by_labels else plain.arrays(first, "paths"), lengths, gaps, are_scored=by_labels)
    batch.indexes = indexes_of(labels if by_labels else first, batch.layout == "list")
    batch.what = "labels" if by_labels else "paths"
    inputs: dict[str, Any] = {
        "offsets": batch.offsets,
        "n_classes": found.n_classes,
        "classes": found.classes,
        "ids": ids_of(ids, batch.n_recordings),
        "subjects": texts_of(subjects, batch.n_recordings, "subjects"),
        "name": name,
    }
    if labels is not None:
        inputs["labels"] = coded.of_batch(labels, batch, "labels")
    made = batch.with_segments(segments)
    if made is not None:
        inputs["segments"] = made
    arrays = [plain.of_batch(p, batch, "paths" if p is paths else f"paths[{key!r}]") for key, p in given.items()]
    notices: list[str] = []
    how = {"trace_steps": _TRACE_STEPS, **judging}
    made = library.evaluate(found.to_json(), inputs, how, list(given), arrays, progress, notices)
    _warn(notices)
    return Report._made(made)


# ---- learning ----


class Learning(Places, Numbers, Coding, total=False):
    """What fit() takes besides: how scores are read, and how long a step is."""

    epoch_seconds: float | None


_OF_SCORES = ("offsets", "mask", "step_mask", *Numbers.__annotations__)


@with_options(Learning)
def fit(
    labels: Any,
    scores: Any = None,
    *,
    rules: Model | str | None = None,
    method: Literal["counts", "crf", "em"] | None = None,
    tune: Literal["accuracy", "kappa", "macro_f1", "entity_f1", "edit", "nll", "stages", "segments", "cost", "none"] | None = None,
    costs: Mapping[tuple[str, str], float] | None = None,
    strategy: str = "viterbi",
    groups: Sequence[Any] | None = None,
    classes: Classes | None = None,
    smoothing: float = 0.5,
    penalty: float = 0.0,
    memory: int = 1,
    folds: int = 5,
    features: Literal["auto", "none", "windows"] = "auto",
    seen: int = 0,
    name: str = "fitted",
    progress: Progress | None = None,
    **options: Unpack[Learning],
) -> Model:
    """Learns a model: transitions, and how to weigh them against the scores.

    Parameters
    ----------
    labels : array, list or None
        The class of each step, as in :func:`compare`; -1, None or NaN where it is not known. Or boolean [T,K], in the forms of scores, true where the
        step may have the class: paths are held to that, and figures are of steps with one true class. A row of one value says nothing.
        None: learns from scores alone.
    scores : array or list, optional
        As in :func:`decode`. Without: counts of labels.
    rules : Model or str, optional
        What is forbidden stays forbidden, exactly. Without: everything is allowed. Of several states for a class the state of a step is inferred,
        by expectation-maximisation under the labels.
    method : {"counts", "crf", "em"}, optional
        Counted labels; conditional random field of scores and labels; expectation-maximisation of scores. Without: what the data allow.
    tune : str
        What the weights are chosen by, on recordings that the model has not seen: "stages" is the mean of accuracy, kappa and macro F1,
        "segments" that of accuracy, edit score and F1@50. Without: by what the classes are, "segments" of actions, "entity_f1" of tags, else
        "accuracy".
    costs : mapping, optional
        In place of `tune`, the mean cost of a step: ``{("N1", "Wake"): 2}`` says that N1 taken for Wake costs 2; other errors cost 1.
    strategy : str
        What is tuned for.
    groups : sequence, optional
        Recordings of one group are never parted between folds.
    classes : sequence of str, mapping or path, optional
        Names of the columns, as in :func:`decode`. Without: those of the rules, of the data frame, or the sorted names of the labels.
    smoothing, penalty, memory, folds : number
        Added to counts; of the CRF, 0 chosen by cross-validation; of its optimiser, 1 unless a class has more states; inner folds.
    features : {"auto", "none", "windows"}
        Whether scores of a step are weighed with those of the steps around it before decoding (`windows` of the model): where labels of
        recordings held out are likelier by more than a standard error and the figure is better, of five recordings or more; never; always.
    seen : int
        Above 0: rules from the labels, what is seen so many times.
    name : str
        Of the model.
    progress : callable, optional
        Called as ``progress(what, done, total)``.
    **options
        Those of :func:`decode` that say where the recordings are and how scores are read; `codes` and `map` of labels, as in
        :func:`statepath.sleep.read_hypnogram`; `epoch_seconds`, the length of a step, for rules whose durations are times and
        labels that are annotations.

    Returns
    -------
    Model
        Tuned settings are its defaults of decoding; its description says how it was made.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> model = sp.fit([["a", "a", "b", "b"], ["a", "b", "b", "b"]], method="counts", tune="none")
    >>> model.classes, model.log_weights is not None
    (('a', 'b'), True)
    >>> may = np.eye(3, dtype=bool)[[0, 0, 1, 2, 0, 0]]
    >>> may[2:4] = [False, True, True]  # b or c
    >>> sp.fit([may, may], classes=["a", "b", "c"]).description.endswith("8 labelled steps and 4 that have several classes of 2 recordings")
    True
    """
    library = needs_library()
    check_names(options, Learning.__annotations__)
    found = None if rules is None else model_of(rules)
    if scores is None and labels is None:
        raise StatepathError("labels or scores are needed to learn from")
    seconds = options.get("epoch_seconds")
    reading: dict[str, Any] = {k: v for k, v in options.items() if k not in (*_CODING, "epoch_seconds")}
    if classes is None and found is None and not _ENCODING.isdisjoint(k for k in options if options[k] is not None):  # type: ignore[literal-required]
        raise StatepathError("codes= and map= say which class a label is: rules= or classes= name the classes")
    sets = LabelSets.of(labels)
    if sets is not None and not _ENCODING.isdisjoint(k for k in options if options[k] is not None):  # type: ignore[literal-required]
        raise StatepathError("codes= and map= say which class a label is, and these are boolean [T,K]: leave them out")
    if sets is not None:
        plain = sets.shape()
    else:
        plain = None if labels is None else Meaning(() if found is None else found.classes, found).arrays(labels, "labels")
    if sets is not None and classes is None and found is None:
        names = tuple(f"class{k}" for k in range(sets.n_classes))
    else:
        names = _class_names(classes, found, plain)
    shape = Model(names)
    if scores is not None:
        request = Request(scores, shape, **without_ignored(scores, plain, reading, are_scored=True))
        inputs = _inputs(request, None, None, "scores")
        if found is not None and classes is None and request.batch.columns is not None:
            names = request.columns
        batch = request.batch
    else:
        for key in _OF_SCORES:
            value = options.get(key)
            if value is not None and not (key == "missing" and value == "error"):
                raise StatepathError(f"{key}= says how scores are read, and there are none; labels alone take lengths=, gaps= and segments=")
        batch = _batch_of_paths(plain, options.get("lengths"), options.get("gaps"))
        inputs = {"offsets": batch.offsets, "ids": ids_of(None, batch.n_recordings), "name": "labels", "n_classes": len(names)}
        made = batch.with_segments(options.get("segments"))
        if made is not None:
            inputs["segments"] = made
    inputs["classes"] = names
    if found is not None:
        found._column_classes(names)  # says where they are not the same
    meaning = _meaning(names, shape if found is None else found, options)
    if sets is not None:
        inputs |= sets.inputs(names, batch)
    elif labels is not None:
        inputs["labels"] = meaning.of_batch(labels, batch, "labels")
    numbers = None
    if groups is not None:
        is_em = method == "em" or (method is None and labels is None)
        if is_em or tune == "none":
            raise StatepathError(f"groups= changes nothing where {'method= is em' if is_em else 'tune= is none'}; leave it out")
        texts = texts_of(groups, batch.n_recordings, "groups") or []
        numbers = np.array([list(dict.fromkeys(texts)).index(t) for t in texts], np.int32)
    how = {  # as the program has it; what is usual is not given
        "method": method,
        "tune": tune,
        "cost": None if costs is None else _costs_as_text(costs),
        "for": None if strategy == "viterbi" else strategy,
        "smoothing": number_of(smoothing, "smoothing"),
        "penalty": number_of(penalty, "penalty"),
        "memory": _integer(memory, "memory"),
        "folds": _integer(folds, "folds"),
        "features": None if features == "auto" else features,
        "seen": _integer(seen, "seen"),
        "epoch_seconds": None if seconds is None else seconds_of(seconds),
        "name": name,
        "threads": options.get("threads", 0),
        "floor": options.get("floor"),
        "missing": options.get("missing"),
    }
    text, _ = library.fit(None if found is None else found.to_json(), inputs, how, numbers, progress)
    return Model.from_json(text)


def _costs_as_text(costs: Any) -> str:
    """What errors cost, as the program has it."""
    try:
        return ";".join(f"{label}>{decoded}={float(cost)!r}" for (label, decoded), cost in dict(costs).items())
    except (TypeError, ValueError):
        raise StatepathError(f"costs={costs!r}: a mapping of (label, decoded class) to a number is needed, such as {{('N1', 'Wake'): 2}}") from None


def _integer(value: Any, name: str) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not 0 <= value < 2**31:
        raise StatepathError(f"{name}={value!r}: a whole number from 0 is needed")
    return int(value)


def _class_names(classes: Any, rules: Model | None, labels: Any) -> tuple[str, ...]:
    if classes is not None:
        return tuple(class_names(classes))
    if rules is not None:
        return rules.classes
    if labels is None:
        raise StatepathError("classes= are needed to name what is learnt, or rules=")
    return names_of_labels(labels)
