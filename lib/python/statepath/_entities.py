"""Entities of decoded tags, with their places in a text, and runs of other classes; windows of long texts, joined before they are decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._decode import decode
from ._errors import StatepathError
from ._request import Kind, Missing, Options, Request, is_uniform, number_of_kind, with_options
from ._scores import Batch, array_of, ids_of, integers_of

_WORD = re.compile(r"[^ \t\r\n\v\f]+")


def _pairs(given: Any, name: str, text: str, n: int) -> list[tuple[int, int]]:
    """Where each of n steps stands in its text; (0, 0): not in it. Further pieces of the last word may follow."""
    places = [(m.start(), m.end()) for m in _WORD.finditer(text)] if given is None else [(int(a), int(b)) for a, b in given]
    if given is None and len(places) != n:
        raise StatepathError(f"text= of {name} has {len(places)} words between blanks, and the scores have {n} steps: offset_mapping= says where in it each step stands")
    end = places[n - 1][1] if 0 < n <= len(places) else 0
    for a, b in places[n:]:
        if b > a and a != end:
            end = -1
        end = b if b > a and end >= 0 else end
    if len(places) < n or (end < 0 < n):
        raise StatepathError(f"offset_mapping= of {name} has {len(places)} tokens, and the scores have {n} steps")
    before = 0
    for t, (a, b) in enumerate(places):
        if a < 0 or b < a or b > len(text):
            raise StatepathError(f"offset_mapping= of {name}, token {t}: ({a}, {b}) is no part of its text of {len(text)} characters")
        if b > a and a < before:
            raise StatepathError(f"offset_mapping= of {name}, token {t}: begins at {a}, before the token before it")
        before = a if b > a else before
    return places


def _takes_part(batch: Batch, n: int, t: int) -> bool:
    if batch.real is None:
        return t < int(batch.offsets[n + 1] - batch.offsets[n])
    return t < batch.real.shape[1] and bool(batch.real[n, t])


def _each(given: Any, request: Request, what: str, is_one: bool) -> list[Any]:
    n = request.batch.n_recordings
    each = [given] if is_one else list(given)
    if len(each) != n:
        raise StatepathError(f"{what}= is of {len(each)} recordings, and there are {n}")
    return each


@with_options(Options)
def entities(
    scores: Any,
    model: Any,
    *,
    path: Any = None,
    strategy: str = "viterbi",
    text: str | Sequence[str] | None = None,
    offset_mapping: Any = None,
    ids: Sequence[str] | None = None,
    **options: Unpack[Options],
) -> list[dict[str, Any]]:
    """The entities that are decoded of scores, each a row of a table: ``pandas.DataFrame(entities(...))``.

    They are those of ``statepath decode -o spans.jsonl``. A recording without an allowed path is an error.

    Parameters
    ----------
    scores, model
        As in :func:`statepath.decode`; the classes are tags.
    path : optional
        Tags that were decided elsewhere, in the shape that :func:`statepath.decode` returns; without: what `strategy` decodes.
    strategy : str
        As in :func:`statepath.decode`.
    text : str, or one for each recording, optional
        The text whose tokens the steps are: its words between blanks, or what `offset_mapping` says.
    offset_mapping : sequence of (start, end), or one for each recording, optional
        Characters of each step, as fast tokenizers say it; (0, 0) where it is not in the text.
    ids : sequence of str, optional
        Names of the recordings; without "0", "1" and so on.
    **options
        Those of :func:`statepath.decode` that say what the scores are.

    Returns
    -------
    list of dict
        recording, type, first and last (steps, both in the entity), start, end and text (with `text`), score (sum of the log scores of its tags),
        posterior: the share of the weight of all allowed paths that read as exactly this entity, NaN where there is no such path.

    Examples
    --------
    >>> import numpy as np
    >>> from statepath import Model, nlp
    >>> probs = np.array([[0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.9, 0.05, 0.05]])
    >>> (one,) = nlp.entities(probs, Model.bio(["O", "B-PER", "I-PER"]), text="Jane Austen writes")
    >>> one["type"], one["first"], one["last"], one["start"], one["end"], one["text"]
    ('PER', 0, 1, 0, 11, 'Jane Austen')
    >>> round(one["score"], 4), round(one["posterior"], 4)
    (-0.734, 0.5487)
    """
    found = _Spans(scores, model, path, strategy, False, options)
    request, batch, place = found.request, found.request.batch, found.place
    names = _names(batch, ids)
    texts, pairs = _texts(request, names, place, text, offset_mapping)
    rows = []
    for n, class_name, first, last, values in found:
        one: dict[str, Any] = {"recording": names[n], "type": class_name[2:] or "_", "first": first, "last": last}
        if texts is not None:
            inside = [pair for pair in pairs[n][one["first"] : one["last"] + 1] if pair[1] > pair[0]]
            if inside:
                start, stop = inside[0][0], inside[-1][1]
                for t_after in range(one["last"] + 1, len(pairs[n])):  # further pieces of the last word take no part
                    a, b = pairs[n][t_after]
                    if _takes_part(batch, n, t_after):
                        break
                    stop = b if a == stop and b > a else stop
                one |= {"start": start, "end": stop, "text": texts[n][start:stop]}
        rows.append(one | values)
    return rows


@with_options(Options)
def runs(
    scores: Any,
    model: Any,
    *,
    path: Any = None,
    strategy: str = "viterbi",
    ids: Sequence[str] | None = None,
    **options: Unpack[Options],
) -> list[dict[str, Any]]:
    """The runs that are decoded of scores, each a row of a table with how sure it is: ``pandas.DataFrame(runs(...))``.

    They are those of ``statepath decode -o runs.jsonl``. A run ends where the chain is broken. A recording without an allowed path is an error.

    Parameters
    ----------
    scores, model
        As in :func:`decode`.
    path : optional
        Classes that were decided elsewhere, in the shape that :func:`decode` returns; without: what `strategy` decodes.
    strategy : str
        As in :func:`decode`.
    ids : sequence of str, optional
        Names of the recordings; without "0", "1" and so on.
    **options
        Those of :func:`decode` that say what the scores are.

    Returns
    -------
    list of dict
        recording, class, first and last (steps, both in the run), score (sum of the log scores of its class), posterior: the share of the weight of
        all allowed paths that have exactly this run, NaN where there is no such path.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> probs = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    >>> [(r["class"], r["first"], r["last"], round(r["posterior"], 3)) for r in sp.runs(probs, sp.Model(["a", "b"]))]
    [('a', 0, 0, 0.72), ('b', 1, 2, 0.432)]
    """
    found = _Spans(scores, model, path, strategy, True, options)
    names = _names(found.request.batch, ids)
    return [{"recording": names[n], "class": name, "first": first, "last": last} | values for n, name, first, last, values in found]


def _names(batch: Batch, ids: Any) -> list[str]:
    return [str(n) for n in range(batch.n_recordings)] if ids is None else ids_of(ids, batch.n_recordings)


class _Spans:
    """Entities, or runs, of decoded scores: recording, name of the class, first and last step, {"score", "posterior"}."""

    def __init__(self, scores: Any, model: Any, path: Any, strategy: str, are_runs: bool, options: Any) -> None:
        self.request = request = Request(scores, model, **options)
        batch = request.batch
        path = decode(scores, model, strategy, **options) if path is None else path
        s = batch.n_steps
        self._last, self._class, self._score, self._posterior = np.empty(s, np.int64), np.empty(s, np.int32), np.empty(s), np.empty(s)
        self.place = np.nonzero(batch.real)[1] if batch.real is not None else np.arange(s) - np.repeat(batch.offsets[:-1], np.diff(batch.offsets))
        own = request.path(path, "path")
        try:
            _core.span_values(request.chain, request.inputs, request.options, request.columns, are_runs, own, self._last, self._class, self._score, self._posterior)
        except StatepathError:
            raise
        except ValueError as error:
            raise StatepathError(str(error)) from None

    def __iter__(self) -> Iterator[tuple[int, str, int, int, dict[str, float]]]:
        offsets, place = self.request.batch.offsets, self.place
        for t in np.flatnonzero(self._last >= 0).tolist():
            n = int(np.searchsorted(offsets, t, side="right")) - 1
            end = int(offsets[n] + self._last[t])
            values = {"score": float(self._score[t]), "posterior": float(self._posterior[t])}
            yield n, self.request.columns[self._class[t]], int(place[t]), int(place[end]), values


def _texts(
    request: Request, names: list[str], place: NDArray[Any], text: Any, offset_mapping: Any
) -> tuple[list[str] | None, list[list[tuple[int, int]]]]:
    if text is None:
        if offset_mapping is not None:
            raise StatepathError("offset_mapping= says where steps stand in text=, which is missing")
        return None, []
    batch, is_one = request.batch, isinstance(text, str)
    texts = _each(text, request, "text", is_one)
    given = [None] * len(texts) if offset_mapping is None else _each(offset_mapping, request, "offset_mapping", is_one)
    if batch.real is not None:
        lengths = [int(place[b - 1]) + 1 if b > a else 0 for a, b in zip(batch.offsets[:-1], batch.offsets[1:], strict=True)]
    else:
        lengths = np.diff(batch.offsets).tolist()
    return texts, [_pairs(one, names[n], texts[n], lengths[n]) for n, one in enumerate(given)]


def join_windows(
    scores: Any,
    starts: Any,
    how: Literal["mean", "middle"] = "mean",
    *,
    texts: Any = None,
    kind: Kind | None = "logits",
    missing: Missing = "error",
) -> list[NDArray[np.float64]]:
    """Scores of long texts [T,K] of those of their windows, which overlap: what is decoded in place of the windows.

    Parameters
    ----------
    scores : list of arrays [T,K], or array [N,T,K]
        The windows, in the order of their text, without padding and special tokens.
    starts : array of int [N]
        The step of its text at which each window begins.
    how : {"mean", "middle"}
        Where several windows have a step: the mean of their log-probabilities, normalised again; or the row that stands nearest the middle of
        its window, the earlier among equals.
    texts : array of int [N], optional
        A number of the text of each window (``overflow_to_sample_mapping``). Without: a window that starts at 0 begins a text.
    kind : {"logits", "log_probs", "probs", "scores"}
        What the numbers are; None: told from the first row. A mean is of kind log_probs afterwards, but for scores; rows of "middle" stay what
        they are.
    missing : {"error", "uniform"}
        "uniform": a row with a NaN says nothing, and what other windows say of its step stands; where none says anything, the text has a row of
        NaN, to be decoded with ``missing="uniform"``.

    Returns
    -------
    list of arrays of float64 [T,K], one a text

    Raises
    ------
    StatepathError
        A window leaves steps out, or goes back; a row that is not of its kind, or a NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from statepath import nlp
    >>> a, b = np.log([[0.5, 0.5], [0.8, 0.2]]), np.log([[0.2, 0.8], [0.9, 0.1]])
    >>> (text,) = nlp.join_windows([a, b], [0, 1])
    >>> np.exp(text).round(3)
    array([[0.5, 0.5],
           [0.5, 0.5],
           [0.9, 0.1]])
    """
    if how not in ("mean", "middle"):
        raise StatepathError(f'how={how!r}: it is "mean" or "middle"')
    windows = [array_of(w, f"scores[{n}]") for n, w in enumerate(scores)]
    widths = sorted({w.shape[1] if w.ndim == 2 else -1 for w in windows})
    if not windows or len(widths) > 1 or widths[0] < 1:
        raise StatepathError(f"scores are a list of windows [T,K] with as many classes each; their shapes are {[w.shape for w in windows[:5]]}")
    begin = np.ascontiguousarray(integers_of(starts, "starts"))
    number = None if texts is None else np.ascontiguousarray(integers_of(texts, "texts"))
    for given, name in ((begin, "starts"), (number, "texts")):
        if given is not None and given.shape != (len(windows),):
            raise StatepathError(f"{name}= has shape {given.shape}, and there are {len(windows)} windows")
    rows = np.concatenate([np.asarray(w, np.float64) for w in windows])
    offsets = np.concatenate([[0], np.cumsum([len(w) for w in windows])]).astype(np.int64)
    first, steps = (np.array(x, np.int64) for x in _core.window_texts(offsets, begin, number))
    out = np.empty((int(steps[-1]), widths[0]))
    _core.join_windows(rows, offsets, begin, first, steps, how == "mean", number_of_kind(kind), is_uniform(missing), out)
    return [out[a:b] for a, b in zip(steps[:-1], steps[1:], strict=True)]


__all__ = ["entities", "join_windows", "runs"]
