"""decode()."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._decoded import STATUS, Decoded
from ._errors import BugError, DeadEndError, NoPathError, StatepathError, StatepathWarning
from ._model import Model
from ._request import Options, Request, with_options
from ._scores import ids_of

Infeasible = Literal["raise", "mark", "relax"]



@overload
def decode(
    scores: Any,
    model: Model | str,
    strategy: str = "viterbi",
    *,
    full: Literal[True],
    on_infeasible: Infeasible = "raise",
    n_best: int = 0,
    confidence: bool = False,
    ids: Sequence[str] | None = None,
    **options: Unpack[Options],
) -> Decoded: ...
@overload
def decode(
    scores: Any,
    model: Model | str,
    strategy: str = "viterbi",
    *,
    full: Literal[False] = False,
    on_infeasible: Infeasible = "raise",
    n_best: int = 0,
    confidence: bool = False,
    ids: Sequence[str] | None = None,
    **options: Unpack[Options],
) -> Any: ...
@with_options(Options)
def decode(
    scores: Any,
    model: Model | str,
    strategy: str = "viterbi",
    *,
    full: bool = False,
    on_infeasible: Infeasible = "raise",
    n_best: int = 0,
    confidence: bool = False,
    ids: Sequence[str] | None = None,
    **options: Unpack[Options],
) -> Any:
    """The best path that a model allows, for one recording or many.

    Parameters
    ----------
    scores : array, data frame, or list of them
        Scores of T steps by K classes: [T,K]; padded [N,T,K] with `lengths` or `mask`; a list of [T,K]; packed [S,K] with `lengths` or
        `offsets`. float32 and float64 are used as they lie in memory where they are C-contiguous. Columns of a data frame that are class
        names are aligned by name. Tensors of the CPU come by DLPack.
    model : Model or str
        The rules, or the name or file of them.
    strategy : str
        "viterbi", "greedy", "argmax", "beam:8", "posterior", "mea", "posterior-viterbi" or "online:20".
    full : bool
        True: a :class:`Decoded`, with scores, status and more.
    kind : {"log_probs", "probs", "logits", "scores"}, optional
        What the numbers are. Without: log_probs or probs, as the first row shows; an error where it is neither.
    lengths, offsets : array of int, optional
        Steps of each recording, of padded or packed scores; where each recording begins, and the end, of packed ones.
    mask : array of bool, optional
        [N,T], true for real steps, as attention masks are. Padding may lead and trail.
    gaps : {"join", "break"}, optional
        What a hole in `mask`, or among labels [N,T] one of -100, means: its neighbours become adjacent, or a new segment begins.
    step_mask : array of bool, optional
        Classes that are possible at each step, in the shape of the scores.
    labels : array, optional
        Known classes, in the shape of the paths, which are certain; -1 where a class is not known. Steps of [N,T] with -100 take no part.
    label_order : {"columns", "model"}, optional
        What numbers of labels are where the columns are in another order than the classes of the model; an error without it.
    segments : array of int, optional
        In the shape of the paths: where the number changes the chain is broken.
    classes : sequence of str, mapping or path, optional
        Names of the columns, where they are not in the model's order; or a mapping of their numbers to names (id2label), or a file, such
        as the config.json of a model of transformers.
    temperature, transition_weight, prior_weight : float, optional
        Scores are divided by the first, log weights of transitions multiplied by the second; the third times the log of the model's prior
        is taken from the scores. Without: what the model says, else 1, 1 and 0.
    epoch_seconds : float, optional
        Length of a step, where the model has durations in time.
    floor : float, optional
        Smaller probabilities are raised to it.
    missing : {"error", "uniform"}
        A step with NaN is an error, or says nothing.
    on_infeasible : {"raise", "mark", "relax"}
        A recording without allowed path raises :class:`NoPathError`, gets -1 at each step, or the path that breaks the fewest rules.
    n_best : int
        So many best paths, in ``Decoded.nbest``; with `full`.
    confidence : bool
        Confidence, log partition and margin too; with `full`.
    ids : sequence of str, optional
        Names of the recordings, for ``Decoded.ids`` and what it writes; with `full`.
    threads : int
        0: all processors.

    Returns
    -------
    path : array of int32, or what came in
        Classes from 0: [T]; [N,T] with -1 in the padding; a list; [S]; a Series with the frame's index. With `full` a :class:`Decoded`.

    Raises
    ------
    ScoresError, ModelError, NoPathError, StatepathError

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> probs = np.array([[0.9, 0.1, 0.0], [0.1, 0.2, 0.7], [0.1, 0.3, 0.6]])
    >>> door = sp.Model(["closed", "opening", "open"], {"closed": ["closed", "opening"], "opening": ["open"], "open": ["open", "closed"]})
    >>> sp.decode(probs, door)
    array([0, 1, 2], dtype=int32)
    >>> sp.decode(probs, door, "argmax")
    array([0, 2, 2], dtype=int32)
    >>> sp.decode([probs, probs[:1]], door)
    [array([0, 1, 2], dtype=int32), array([0], dtype=int32)]
    >>> sp.decode(np.stack([probs, probs]), door, lengths=[3, 2])
    array([[ 0,  1,  2],
           [ 0,  1, -1]], dtype=int32)
    """
    request = Request(scores, model, **options)
    if ids is not None and not full:
        raise StatepathError("ids= are names in a Decoded: add full=True")
    names = None if ids is None else ids_of(ids, request.batch.n_recordings)
    return _decode(request, strategy, on_infeasible, n_best, confidence, full, names)


def _whole(value: Any, name: str) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not 0 <= value < 2**31:
        raise StatepathError(f"{name}={value!r}: a whole number from 0 is needed")
    return int(value)


def _outputs(request: Request, n_best: int, confidence: bool, relax: bool) -> dict[str, Any]:
    s, n = request.batch.n_steps, request.batch.n_recordings
    out: dict[str, Any] = {
        "paths": np.empty(s, np.int32),
        "scores": np.empty(n),
        "status": np.empty(n, np.uint8),
        "step": np.empty(n, np.int64),
        "n_broken": np.empty(n, np.int64),
    }
    if relax:
        out["broken"] = np.zeros(s, np.uint8)
    if confidence:
        out |= {"confidence": np.empty(s, np.float32), "log_partition": np.empty(n), "margin": np.empty(n)}
    if n_best:
        out |= {
            "n_best": n_best,
            "best_paths": np.empty((n_best, s), np.int32),
            "best_scores": np.empty((n, n_best)),
            "n_found": np.empty(n, np.int32),
        }
    return out


def _decode(request: Request, strategy: str, on_infeasible: str, n_best: int, confidence: bool, full: bool, ids: list[str] | None) -> Any:
    if on_infeasible not in ("raise", "mark", "relax"):
        raise StatepathError(f'on_infeasible="{on_infeasible}": it is "raise", "mark" (-1 at each step) or "relax" (break the fewest rules)')
    if not isinstance(strategy, str):
        raise StatepathError(f'strategy={strategy!r}: give its name, such as "viterbi" or "beam:8"')
    if n_best != 0 or type(n_best) is not int:
        n_best = _whole(n_best, "n_best")
    if (n_best or confidence) and not full:
        raise StatepathError("n_best= and confidence= are returned in a Decoded: add full=True")
    relax = on_infeasible == "relax"
    out = _outputs(request, n_best, confidence, relax) if full else {"paths": np.empty(len(request.batch.rows), np.int32)}
    request.kind, n_failed, *counts = _core.decode(request.chain, request.inputs, request.options, strategy, relax, out)
    if n_failed:
        if not full:  # once more, with all that is said of a failure
            out = _outputs(request, 0, False, False)
            _core.decode(request.chain, request.inputs, request.options, strategy, relax, out)
        _look_at(request, out, np.flatnonzero(out["status"]), on_infeasible)
    if full:
        return Decoded._made(request, strategy, ids, out, counts)
    return request.batch.steps(out["paths"], -1)


# ---- where there is no path ----


def _look_at(request: Request, out: dict[str, Any], failed: NDArray[np.intp], on_infeasible: str) -> None:
    """Raises for the first recording that has no path, where it is to be raised; for a bug in every case but "mark"."""
    for n in failed:
        status = STATUS[out["status"][n]]
        if status == "bug":
            sentence = (
                f"recording {n}: the path that was found is wrong: this is a bug of statepath {_core.version()}, not of your data; please report "
                "it with the scores and the model"
            )
            if on_infeasible != "mark":
                raise BugError(sentence)
            warnings.warn(sentence + "; its path is -1", StatepathWarning, stacklevel=4)
        elif on_infeasible == "raise":
            raise no_path(request, int(n), int(out["step"][n]), status)


def no_path(request: Request, recording: int, step: int, status: str) -> NoPathError:
    """The error of a recording without path, with what blocks it."""
    blocking, best = _blocking(request, recording, step)
    pairs = ", ".join(f"{a} -> {b}" for a, b in blocking[:3]) + (", ..." if len(blocking) > 3 else "")
    why = f" (forbidden: {pairs})" if pairs else ""
    if status == "dead_end":
        sentence = f"recording {recording}: dead end at step {step}, no allowed class has a finite score there{why}"
        return DeadEndError(f'{sentence}; another path exists: take "viterbi"', recording=recording, step=step, class_=best, blocking=blocking)
    sentence = f"recording {recording} has no allowed path of finite score: no state reaches step {step}{why}"
    if best < 0:
        sentence = f"recording {recording} has no allowed path of finite score: every class is impossible at step {step}"
    mend = 'on_infeasible="relax" breaks the fewest rules, "mark" gives -1'
    return NoPathError(f"{sentence}; {mend}", recording=recording, step=step, class_=best, blocking=blocking)


def _blocking(request: Request, recording: int, step: int) -> tuple[list[tuple[str, str]], int]:
    """Forbidden pairs between the classes that are possible before and at a step, the greatest scores first; and the best class there."""
    allow = request.model._class_rules()[0]
    columns = request.class_of_column
    allow = allow if columns is None else allow[np.ix_(columns, columns)]
    row = request.row(recording, step)
    best = int(np.argmax(row)) if row.max() > -np.inf else -1
    segments = request.inputs.get("segments")
    t = int(request.batch.offsets[recording]) + step
    if step == 0 or best < 0 or (segments is not None and segments[t] != segments[t - 1]):
        return [], best
    before = request.row(recording, step - 1)
    now = [k for k in np.argsort(-row, kind="stable")[:100] if row[k] > -np.inf]
    then = [k for k in np.argsort(-before, kind="stable")[:100] if before[k] > -np.inf]
    pairs = [(-(before[i] + row[j]), i, j) for i in then for j in now if not allow[i, j]]
    names = request.columns
    return [(names[i], names[j]) for _, i, j in sorted(pairs)[:10]], best
