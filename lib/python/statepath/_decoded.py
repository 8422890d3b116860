"""Decoded: everything about paths."""

from __future__ import annotations

import csv
import html
import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import StatepathError, needed
from ._files import write_whole
from ._scores import file_name

if TYPE_CHECKING:
    from ._model import Model
    from ._request import Request
    from ._scores import Batch

STATUS = ("ok", "no_path", "dead_end", "bug")


class Decoded(Sequence[NDArray[np.int32]]):
    """Paths with what is known about them; what :func:`decode` returns with ``full=True``. A sequence of one path [T] a recording.

    Attributes
    ----------
    paths : array, list or Series
        In the shape that came in, as :func:`decode` returns them without `full`.
    ids : list of str, [N]
        Names of the recordings: those that were given, else "0", "1", ...
    classes : tuple of str
        Names of the columns.
    model : Model
    strategy : str
    kind : str
        What the scores were taken for.
    offsets : array of int, [N+1]
        Where each recording begins among all steps.
    scores : array of float, [N]
        Path scores in nats; -inf where there is no path, or none that is allowed.
    status : list of str, [N]
        "ok", "relaxed", "no_path" or "dead_end".
    step : array of int, [N]
        The step of the failure; -1.
    n_broken : array of int, [N]
        Rules that a relaxed path breaks.
    violations : list of array of bool [T], or None
        Steps at which a relaxed path breaks one; None without ``on_infeasible="relax"``.
    confidence : list of array, or None
        The marginal, given the rules, of the class at each step.
    log_partition, margin : array of float, [N], or None
        Log of the summed weight of all allowed paths; nats by which the path is ahead of every other.
    nbest : list of (paths [n,T], scores [n]), or None
    floored, missing : int
        Scores raised to the floor; steps that said nothing.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> model = sp.Model(["a", "b"], {"a": ["a"], "b": ["a", "b"]})
    >>> d = sp.decode(np.array([[0.4, 0.6], [0.3, 0.7]]), model, full=True, n_best=2, confidence=True)
    >>> d
    Decoded: 1 recording, 2 steps by viterbi
    >>> d.names()
    [['b', 'b']]
    >>> d.status, d.scores.round(3), d.margin.round(3)
    (['ok'], array([-0.868]), array([0.847]))
    >>> d.confidence[0].round(3)
    array([0.833, 0.583], dtype=float32)
    >>> d.nbest[0][0]
    array([[1, 1],
           [1, 0]], dtype=int32)
    >>> d.log_partition.round(3), d.paths, len(d), d[0]
    (array([-0.329]), array([1, 1], dtype=int32), 1, array([1, 1], dtype=int32))

    What it was asked, and what was done to the scores:

    >>> d.strategy, d.kind, d.classes, d.model.name, d.ids, d.offsets, d.segments, d.floored, d.missing
    ('viterbi', 'probs', ('a', 'b'), 'model', ['0'], array([0, 2]), None, 0, 0)

    Where no path is allowed:

    >>> stuck = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> marked = sp.decode(stuck, model, full=True, on_infeasible="mark")
    >>> marked.status, marked.step, marked.scores, marked.paths
    (['no_path'], array([1]), array([-inf]), array([-1, -1], dtype=int32))
    >>> relaxed = sp.decode(stuck, model, full=True, on_infeasible="relax")
    >>> relaxed.paths, relaxed.n_broken, relaxed.violations
    (array([0, 0], dtype=int32), array([1]), [array([False,  True])])
    """

    _batch: Batch
    _flat: NDArray[np.int32]
    _ids: list[str] | None  # as given
    model: Model
    strategy: str
    kind: str
    classes: tuple[str, ...]
    offsets: NDArray[np.int64]
    paths: Any
    scores: NDArray[np.float64]
    status: list[str]
    step: NDArray[np.int64]
    n_broken: NDArray[np.int64]
    violations: list[NDArray[np.bool_]] | None
    confidence: list[NDArray[np.float32]] | None
    log_partition: NDArray[np.float64] | None
    margin: NDArray[np.float64] | None
    nbest: list[tuple[NDArray[np.int32], NDArray[np.float64]]] | None
    floored: int
    missing: int
    segments: NDArray[np.int64] | None
    _best: tuple[NDArray[np.int32], NDArray[np.float64]] | None

    @classmethod
    def _made(cls, request: Request, strategy: str, ids: list[str] | None, out: dict[str, Any], counts: Sequence[int]) -> Decoded:
        self = cls.__new__(cls)
        batch = request.batch
        self._batch, self._ids, self._flat = batch, ids, out["paths"]
        self.model, self.strategy, self.classes = request.model, strategy, request.columns
        self.kind = ("log_probs", "probs", "logits", "scores")[request.kind]
        self.offsets = batch.offsets
        self.paths = batch.steps(out["paths"], -1)
        self.scores, self.step, self.n_broken = out["scores"], out["step"], out["n_broken"]
        self.status = [STATUS[s] if s else "relaxed" if b else "ok" for s, b in zip(out["status"], self.n_broken, strict=True)]
        split = self._split
        self.violations = split(out["broken"].view(bool)) if "broken" in out else None
        self.confidence = split(out["confidence"]) if "confidence" in out else None
        self.log_partition, self.margin = out.get("log_partition"), out.get("margin")
        self.nbest = None
        self._best = (out["best_paths"], out["best_scores"]) if "best_paths" in out else None
        if "best_paths" in out:
            found = out["n_found"]
            spans = zip(batch.offsets[:-1], batch.offsets[1:], strict=True)
            self.nbest = [(out["best_paths"][: found[n], a:b], out["best_scores"][n, : found[n]]) for n, (a, b) in enumerate(spans)]
        self.floored, self.missing = counts
        self.segments = request.inputs.get("segments")
        return self

    def _split(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        return [values[a:b] for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True)]

    @property
    def ids(self) -> list[str]:
        """Names of the recordings: those that were given, else "0", "1", ..."""
        return list(self._ids) if self._ids is not None else [str(n) for n in range(len(self))]

    def _label_arrays(self) -> Any:
        """The paths as labels: names, which mean the same whatever the order of the columns."""
        parts = self._split(np.array([*self.classes, None], object)[self._flat])
        return parts[0] if self._batch.layout == "single" else parts

    # -- a sequence of paths --

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[n] for n in range(*i.indices(len(self)))]
        n = range(len(self))[i]
        return self._flat[self.offsets[n] : self.offsets[n + 1]]

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        return iter(self._split(self._flat))

    # -- other forms --

    def padded(self, fill: int = -1) -> NDArray[np.int32]:
        """The paths as one array [N,T], `fill` after the end of those that are shorter than the longest.

        Examples
        --------
        >>> import statepath as sp
        >>> d = sp.decode([[[0.9, 0.1], [0.2, 0.8]], [[0.3, 0.7]]], sp.Model(["a", "b"]), full=True, ids=["long", "short"])
        >>> d.ids, d.padded(-100)
        (['long', 'short'], array([[   0,    1],
               [   1, -100]], dtype=int32))
        """
        if isinstance(fill, (bool, np.bool_)) or not isinstance(fill, (int, np.integer)) or not -(2**31) <= fill < 2**31:
            raise StatepathError(f"fill={fill!r}: a whole number of 32 bits is needed")
        lengths = np.diff(self.offsets)
        out = np.full((len(self), int(lengths.max(initial=0))), fill, np.int32)
        out[np.arange(out.shape[1]) < lengths[:, None]] = self._flat
        return out

    def names(self) -> list[list[str]]:
        """Class names of each recording's steps; "" where there is no class."""
        names = (*self.classes, "")
        return [[names[k] for k in path] for path in self]

    def to_frame(self) -> Any:
        """A pandas data frame: recording (its id), step, label, and confidence where it is known; one row a step.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.decode([[0.9, 0.1], [0.2, 0.8]], sp.Model(["a", "b"]), full=True).to_frame().to_dict("list")
        {'recording': [0, 0], 'step': [0, 1], 'label': ['a', 'b']}
        """
        pd = needed("pandas", "data frames are made")
        columns: dict[str, Any] = {"recording": self._recordings(), "step": self._steps(), "label": self._labels()}
        if self.confidence is not None:
            columns["confidence"] = np.concatenate(self.confidence) if self.confidence else np.empty(0, np.float32)
        return pd.DataFrame(columns)

    def _recordings(self) -> NDArray[Any]:
        """The id of each step's recording; numbers where nobody gave names."""
        names = np.arange(len(self)) if self._ids is None else np.array(self._ids, object)
        return np.repeat(names, np.diff(self.offsets))

    def _steps(self) -> NDArray[np.int64]:
        return np.arange(len(self._flat)) - np.repeat(self.offsets[:-1], np.diff(self.offsets))

    def _labels(self) -> NDArray[np.object_]:
        return np.array([*self.classes, ""], object)[self._flat]

    # -- files --

    def save(self, file: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the paths: ``.h5`` as ``statepath decode`` does (needs h5py), ``.csv`` a step a line, ``.npz`` arrays.

        The file appears as a whole; an existing one is replaced only with `force`.

        Examples
        --------
        >>> import statepath as sp, tempfile, os
        >>> d = sp.decode([[0.9, 0.1], [0.2, 0.8]], sp.Model(["a", "b"]), full=True)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     d.save(os.path.join(folder, "paths.csv"))
        ...     os.listdir(folder)
        ['paths.csv']
        """
        target = os.fsdecode(file_name(file))
        ending = os.path.splitext(target)[1].lower()
        writers: dict[str, Callable[[str], None]] = {
            ".h5": self._save_hdf5,
            ".hdf5": self._save_hdf5,
            ".csv": self._save_csv,
            ".npz": self._save_npz,
        }
        if ending not in writers:
            raise StatepathError(f"{target}: files end in .h5, .csv or .npz")
        write_whole(target, writers[ending], force)

    def _save_csv(self, file: str) -> None:
        with open(file, "w", newline="", encoding="utf-8") as stream:
            rows = csv.writer(stream, lineterminator="\n")
            rows.writerow(["recording", "step", "label"] + ["confidence"] * (self.confidence is not None))
            parts: list[Any] = [[_no_formula(str(x)) for x in self._recordings().tolist()], self._steps().tolist(), [_no_formula(x) for x in self._labels()]]
            if self.confidence is not None:
                parts.append([f"{x:.9g}" for part in self.confidence for x in part])
            rows.writerows(zip(*parts, strict=True))

    def _arrays(self) -> dict[str, Any]:
        """What the files hold, by the names of the program's."""
        name = self.strategy.partition(":")[0]
        path_type = np.int32 if len(self.classes) > 32767 else np.int16
        status = np.array([STATUS.index("ok" if s == "relaxed" else s) for s in self.status], np.uint8)
        arrays: dict[str, Any] = {
            f"paths/{name}": self._flat.astype(path_type),
            f"path_scores/{name}": self.scores,
            f"status/{name}": status,
            "offsets": self.offsets,
        }
        if self.confidence is not None:
            assert self.log_partition is not None
            pairs = zip(self.scores.tolist(), self.log_partition.tolist(), self.status, strict=True)
            posteriors = [math.nan if status not in ("ok", "relaxed") else math.exp(s - z) if s > -math.inf else 0.0 for s, z, status in pairs]
            arrays |= {
                f"confidence/{name}": np.concatenate(self.confidence) if self.confidence else np.empty(0, np.float32),
                f"path_posteriors/{name}": np.array(posteriors, np.float64),
                f"margins/{name}": self.margin,
                "log_partition": self.log_partition,
            }
        if self._best is not None:
            arrays |= {"nbest/paths": self._best[0].astype(path_type), "nbest/scores": np.ascontiguousarray(self._best[1].T)}
        if self.violations is not None:
            arrays[f"broken/{name}"] = self.n_broken
            arrays[f"broken_steps/{name}"] = np.concatenate(self.violations).view(np.uint8) if self.violations else np.empty(0, np.uint8)
        if self.segments is not None:
            arrays["segments"] = self.segments
        return arrays

    def _save_npz(self, file: str) -> None:
        with open(file, "wb") as stream:
            np.savez(stream, classes=np.array(self.classes), ids=np.array(self.ids), **self._arrays())

    def _save_hdf5(self, file: str) -> None:
        h5py = needed("h5py", "HDF5 files are written")
        name = self.strategy.partition(":")[0]
        text = h5py.string_dtype("utf-8")
        with h5py.File(file, "w") as f:
            for key, values in self._arrays().items():
                f.create_dataset(key, data=values)
            f[f"status/{name}"].attrs["names"] = "0 ok, 1 no_path, 2 dead_end, 3 bug"
            f.create_dataset("ids", data=self.ids, dtype=text)
            f.create_dataset("classes", data=list(self.classes), dtype=text)
            attributes = {"statepath_version": _core.version(), "command": "statepath.decode()", "model": self.model.to_json(), "input": ""}
            for key, value in attributes.items():
                f.attrs[key] = value
            f.attrs["input_size"] = np.int64(0)
            f.attrs["strategies"] = [name]

    # -- shown --

    def __repr__(self) -> str:
        n, undecoded = len(self), sum(s in ("no_path", "dead_end", "bug") for s in self.status)
        relaxed = sum(s == "relaxed" for s in self.status)
        text = f"Decoded: {n:,} recording{'' if n == 1 else 's'}, {len(self._flat):,} step{'' if len(self._flat) == 1 else 's'} by {self.strategy}"
        return text + (f", {undecoded:,} without path" if undecoded else "") + (f", {relaxed:,} relaxed" if relaxed else "")

    def _repr_html_(self) -> str:
        most, ids = 10, self.ids
        head = "<tr><th>recording</th><th>steps</th><th>path score</th><th>status</th></tr>"
        rows = "".join(
            f"<tr><td>{html.escape(ids[n])}</td><td>{len(self[n])}</td><td>{self.scores[n]:.4f}</td><td>{html.escape(self.status[n])}</td></tr>"
            for n in range(min(most, len(self)))
        )
        more = f"<p>and {len(self) - most:,} more</p>" if len(self) > most else ""
        return f"<p>{html.escape(repr(self))}</p><table><thead>{head}</thead><tbody>{rows}</tbody></table>{more}"


def _no_formula(text: str) -> str:
    """Spreadsheets take what begins so for a formula."""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
