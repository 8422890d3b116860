"""Sleep staging: hypnograms in files, YASA's hypnograms and MNE's annotations, in and out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._decode import decode
from ._decoded import Decoded
from ._errors import StatepathError, needed
from ._evaluate import evaluate
from ._hypnograms import STAGES, Hypnogram, coded_stages, path_of, read_hypnogram, stage_of, write_hypnogram
from ._labels import Meaning, steps_of_annotations
from ._model import Model
from ._passes import marginals
from ._report import Report
from ._request import model_of
from ._scores import seconds_of

__all__ = [
    "STAGES",
    "Hypnogram",
    "compare_hypnograms",
    "decode_hypnogram",
    "from_annotations",
    "read_hypnogram",
    "to_annotations",
    "to_yasa",
    "write_hypnogram",
]

_YASA = {0: "WAKE", 1: "N1", 2: "N2", 3: "N3", 4: "REM", -1: "UNS"}  # -1: unscored


def decode_hypnogram(hyp: Any, model: Model | str = "sleep-aasm", strategy: str = "viterbi") -> Any:
    """A YASA hypnogram with probabilities, made legal; start, length of a step and the rest are kept, probabilities become marginals.

    Parameters
    ----------
    hyp : yasa.Hypnogram
        With `proba`, as YASA's stager gives it.
    model, strategy
        As in :func:`statepath.decode`.

    Examples
    --------
    >>> from statepath.sleep import decode_hypnogram
    >>> legal = decode_hypnogram(staging.predict())  # doctest: +SKIP
    """
    pd = needed("pandas", "data frames are made")
    yasa = needed("yasa", "these hypnograms are made")
    proba = getattr(hyp, "proba", None)
    if proba is None:
        raise StatepathError("this hypnogram has no probabilities (hyp.proba is None): decoding needs those of the stager")
    rules = model_of(model)
    columns = {stage_of(c): c for c in proba.columns}
    if sorted(columns) != list(range(5)):
        raise StatepathError(f"the columns of hyp.proba are {', '.join(map(str, proba.columns))}: the five stages are needed")
    scores = np.ascontiguousarray(proba[[columns[stage_of(c)] for c in rules.classes]].to_numpy(np.float64))
    step = pd.Timedelta(hyp.freq).total_seconds()
    path = decode(scores, rules, strategy, kind="probs", epoch_seconds=step)
    names = [str(columns[stage_of(rules.classes[k])]) for k in path]
    m = pd.DataFrame(marginals(scores, rules, kind="probs", epoch_seconds=step), columns=[columns[stage_of(c)] for c in rules.classes], index=proba.index)
    made = {"n_stages": hyp.n_stages, "freq": hyp.freq, "start": hyp.start, "scorer": f"statepath {strategy}", "proba": m[list(proba.columns)]}
    return yasa.Hypnogram([_YASA.get(stage_of(n), n) for n in names], **made)


def to_yasa(decoded: Decoded | Hypnogram, i: int = 0, *, freq: str | None = None, start: Any = None) -> Any:
    """``yasa.Hypnogram`` of a decoded recording, or of a hypnogram that was read; steps of -1 are unscored.

    Parameters
    ----------
    decoded : Decoded or Hypnogram
        What ``decode(..., full=True)`` or ``read_hypnogram(..., full=True)`` returned.
    i : int
        Which recording.
    freq : str, optional
        Length of a step, as pandas writes it; without: the hypnogram's, else "30s".
    start : str or datetime, optional
        When the first step begins.

    Examples
    --------
    >>> from statepath.sleep import to_yasa
    >>> to_yasa(sp.decode(probs, "sleep-aasm", full=True)).hypno.head(2).tolist()  # doctest: +SKIP
    ['WAKE', 'WAKE']
    """
    yasa = needed("yasa", "these hypnograms are made")
    stages = [stage_of(c) for c in decoded.classes]
    unknown = [c for c, s in zip(decoded.classes, stages, strict=True) if s < 0]
    if unknown:
        raise StatepathError(f"class {unknown[0]} is no sleep stage: YASA knows {', '.join(STAGES)}")
    if isinstance(decoded, Hypnogram):
        path, length, scorer = decoded.labels, f"{decoded.epoch_seconds:g}s", None
    else:
        path, length, scorer = decoded[i], "30s", f"statepath {decoded.strategy}"
    values = [_YASA[stages[k] if k >= 0 else -1] for k in path.tolist()]
    return yasa.Hypnogram(values, n_stages=5, freq=freq or length, start=start, scorer=scorer)


def compare_hypnograms(reference: Any, others: Any, model: Model | str = "sleep-aasm") -> Report:
    """Judges hypnograms (YASA's, ours, annotations of MNE, sequences of stages) against a reference.

    Parameters
    ----------
    reference : hypnogram, or list of them, one a recording
    others : the same, or a mapping of names to them

    Examples
    --------
    >>> from statepath.sleep import compare_hypnograms
    >>> report = compare_hypnograms(["W", "N1", "N2", "N2"], {"mine": ["W", "N2", "N2", "N2"]})
    >>> report.data["strategies"]["mine"]["accuracy"]
    0.75
    """
    rules = model_of(model)
    place = np.array([[stage_of(c) for c in rules.classes].index(s) for s in range(5)] + [-1], np.int32)

    meaning = Meaning(STAGES, model_of("sleep-aasm"), is_of_sleep=True)

    def recordings(x: Any, name: str) -> list[NDArray[np.int32]]:
        found = meaning.arrays(x, name)
        return [place[meaning.single(h, name)] for h in (found if isinstance(found, list) else [found])]

    named = others if isinstance(others, Mapping) else {"path": others}
    return evaluate({k: recordings(v, f"others[{k!r}]") for k, v in named.items()}, recordings(reference, "reference"), rules)


def to_annotations(path: Any, *, classes: Sequence[str] | None = None, epoch_seconds: float | None = None, onset: float = 0.0) -> Any:
    """``mne.Annotations`` of a path: one a run, "Sleep stage N2" and so on; steps of -1 are left out.

    `path`, `classes` and `epoch_seconds` are those of :func:`write_hypnogram`.

    Examples
    --------
    >>> from statepath.sleep import to_annotations
    >>> to_annotations([0, 0, 1]).description  # doctest: +SKIP
    array(['Sleep stage W', 'Sleep stage N1'], dtype='<U14')
    """
    mne = needed("mne", "annotations are made")
    numbers, known, seconds = path_of(path, classes, epoch_seconds)
    begins = np.flatnonzero(np.diff(numbers, prepend=numbers[:1] - 1))
    ends = np.append(begins[1:], len(numbers))
    runs = [(a, b) for a, b in zip(begins.tolist(), ends.tolist(), strict=True) if numbers[a] >= 0]
    words = {0: "W", 1: "N1", 2: "N2", 3: "N3", 4: "R"}
    names = [words.get(stage_of(c), str(c)) for c in known]
    return mne.Annotations(
        onset=[onset + a * seconds for a, _ in runs],
        duration=[(b - a) * seconds for a, b in runs],
        description=[f"Sleep stage {names[numbers[a]]}" for a, _ in runs],
    )


def from_annotations(
    annotations: Any,
    *,
    epoch_seconds: float = 30.0,
    n_steps: int | None = None,
    start: float = 0.0,
    codes: str | None = None,
    map: Mapping[Any, str | None] | str | None = None,
) -> NDArray[np.int32]:
    """Stages [T], 0 to 4 as in STAGES, of annotations with onset, duration and description; -1 where none is a stage.

    Parameters
    ----------
    annotations : mne.Annotations, or anything with its three lists
    epoch_seconds : float
        Length of a step.
    n_steps : int, optional
        T. Without: to the end of the last stage.
    start : float
        When the first step begins, in seconds.
    codes, map : optional
        What descriptions mean, as in :func:`read_hypnogram`. Without: the usual names of stages.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from statepath.sleep import from_annotations
    >>> from_annotations(SimpleNamespace(onset=[0.0, 60.0], duration=[60.0, 30.0], description=["Sleep stage W", "Sleep stage 2"]))
    array([0, 0, 2], dtype=int32)
    >>> from_annotations(SimpleNamespace(onset=[0.0, 60.0], duration=[60.0, 30.0], description=["5", "2"]), codes="rk", map={"2": "N1"})
    array([4, 4, 1], dtype=int32)
    """
    stages = coded_stages(annotations.description, codes, map)
    return steps_of_annotations(annotations, stages, seconds_of(epoch_seconds), n_steps, start)
