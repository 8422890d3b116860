"""Action segmentation: F1@k and edit score of frames' classes, and the folders of labels and results that its datasets have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fsdecode, listdir
from os.path import isdir, join, splitext
from typing import Any

import numpy as np

from ._errors import FileError, StatepathError
from ._evaluate import evaluate
from ._files import read_text
from ._model import Model
from ._scores import array_of, file_name

__all__ = ["edit_score", "f_score", "read_labels", "read_predictions", "segment_scores"]

_FIGURES = {"F1@10": "f1_at_10", "F1@25": "f1_at_25", "F1@50": "f1_at_50", "edit": "edit_score", "accuracy": "accuracy"}


def read_labels(folder: str | PathLike[str], names: Sequence[str] | None = None) -> dict[str, list[str]]:
    """The labels of a folder such as ``groundTruth``: a file a video, a class a line.

    Parameters
    ----------
    folder : path
    names : sequence of str, optional
        The videos that are meant, with or without ending, such as the lines of a split's ``.bundle``; else all files that end with ``.txt``.

    Returns
    -------
    dict of str to list of str
        The classes of each video's frames, by its name without ending.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from statepath import video
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "salad1.txt").write_text("cut\\ncut\\nmix\\n")
    >>> video.read_labels(folder)
    {'salad1': ['cut', 'cut', 'mix']}
    """
    folder, found = _files_in(folder)
    files = [n for n in found if n.endswith(".txt")] if names is None else [splitext(n)[0] + ".txt" for n in names]
    return {splitext(name)[0]: _lines(read_text(join(folder, name))[1]) for name in files}


def _files_in(folder: Any) -> tuple[str, list[str]]:
    """The name of a folder and what is in it, in order."""
    name = fsdecode(file_name(folder))
    try:
        return name, sorted(listdir(name))
    except OSError as error:
        raise FileError(f"{name}: cannot be read: {error.strerror}") from None


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


_RESULT = "### Frame level recognition: ###"  # the first line of MS-TCN's result files


def _numbers_of(mapping: Any) -> Mapping[str, int]:
    if isinstance(mapping, Mapping):
        return mapping
    if isinstance(mapping, (str, PathLike)):
        mapping = Model.load(mapping)
    if not isinstance(mapping, Model):
        raise StatepathError(f"mapping={mapping!r}: the name of a mapping.txt, a Model, or {{name: number}} is needed")
    return {name: k for k, name in enumerate(mapping.classes)}


def read_predictions(folder: str | PathLike[str], mapping: Any = None) -> dict[str, Any]:
    """The paths of a folder of results, as MS-TCN and its successors write them: a file a video, by its name without ``.txt``.

    A file without ending has the line ``### Frame level recognition: ###``, then all frames' classes with blanks between them; one that ends
    with ``.txt`` has that, or a class a line. Other files are passed over.

    Parameters
    ----------
    folder : path
        Such as ``results/gtea/split_1``.
    mapping : path, Model or mapping, optional
        The numbers of classes: those of ``mapping.txt``, of a model, or of {name: number}. Without: classes are names.

    Returns
    -------
    dict of str to list of str, or to array of int32 [T] with `mapping`

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from statepath import video
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "salad1").write_text("### Frame level recognition: ###\\ncut cut mix")
    >>> _ = (folder / "salad2.txt").write_text("cut\\nmix\\n")
    >>> video.read_predictions(folder)
    {'salad1': ['cut', 'cut', 'mix'], 'salad2': ['cut', 'mix']}
    >>> video.read_predictions(folder, {"cut": 0, "mix": 1})["salad1"]
    array([0, 0, 1], dtype=int32)
    """
    numbers = None if mapping is None else _numbers_of(mapping)
    folder, files = _files_in(folder)
    found: dict[str, Any] = {}
    for file in files:
        if isdir(join(folder, file)) or splitext(file)[1] not in ("", ".txt"):
            continue
        name, text = read_text(join(folder, file))
        head, _, rest = text.partition("\n")
        if head.strip() != _RESULT and not file.endswith(".txt"):
            continue
        video = file.removesuffix(".txt")
        if video in found:
            raise FileError(f"{name}: is the second file of video {video}")
        labels = rest.split() if head.strip() == _RESULT else _lines(text)
        if numbers is not None:
            unknown = next((t for t, label in enumerate(labels) if label not in numbers), None)
            if unknown is not None:
                raise StatepathError(f'{name}: frame {unknown}: "{labels[unknown]}" is none of the classes of mapping=', step=unknown)
        found[video] = labels if numbers is None else np.array([numbers[label] for label in labels], np.int32)
    if not found:
        raise FileError(f"{folder}: holds no file of results")
    return found


def _listed(videos: Any) -> list[np.ndarray[Any, Any]]:
    if not isinstance(videos, Iterable) or isinstance(videos, (str, bytes)):
        raise StatepathError(f"a list of videos, or a mapping of their names, is needed, not {type(videos).__name__}")
    found = [array_of(v, "video") for v in (videos.values() if isinstance(videos, Mapping) else videos)]
    if any(v.ndim != 1 for v in found):
        raise StatepathError("each video is a list of its frames' classes")
    return found


def segment_scores(paths: Any, labels: Any, *, background: Sequence[str | int] = ("background",)) -> dict[str, float]:
    """F1@10, F1@25, F1@50, edit score and accuracy, in per cent, as the published script of MS-TCN prints them.

    Parameters
    ----------
    paths, labels : list of arrays, or mapping of video names to arrays
        The class of each frame, names or numbers from 0 on. Of two mappings the videos are matched by name.
    background : sequence of str or int
        Classes that are no segments. The script leaves out ``"background"``.

    Returns
    -------
    dict of str to float
        ``F1@10``, ``F1@25``, ``F1@50``, ``edit``, ``accuracy``; NaN where there are no segments.

    Notes
    -----
    A segment of the path is right when the segment of its class in the labels with which its intersection over union is greatest reaches
    0.1, 0.25, 0.5 and was not taken by an earlier one. F1 is pooled over videos, the edit score is their mean. After Lea et al. 2017 and
    Farha and Gall 2019.

    Examples
    --------
    >>> from statepath import video
    >>> truth = {"v1": ["background"] * 2 + ["cut"] * 4 + ["mix"] * 4}
    >>> scores = video.segment_scores({"v1": ["background"] * 3 + ["cut"] * 3 + ["mix"] * 3 + ["cut"]}, truth)
    >>> {name: round(score, 1) for name, score in scores.items()}
    {'F1@10': 80.0, 'F1@25': 80.0, 'F1@50': 80.0, 'edit': 66.7, 'accuracy': 80.0}
    """
    if isinstance(paths, Mapping) and isinstance(labels, Mapping):
        if set(paths) != set(labels):
            odd = sorted(map(str, set(paths) ^ set(labels)))
            raise StatepathError(f"paths and labels are not of the same videos: {odd[0]} is in one of them only")
        labels = {name: labels[name] for name in paths}
    said, true = _listed(paths), _listed(labels)
    if not true:
        raise StatepathError("there is no video")
    if all(v.dtype.kind in "iu" for v in said + true):
        classes = [str(k) for k in range(1 + max(int(v.max(initial=0)) for v in said + true))]
    else:
        classes = sorted({str(k) for v in said + true for k in v})
        said, true = [v.astype(str) for v in said], [v.astype(str) for v in true]
    if len(classes) < 2:
        classes.append("no other class")
    left_out = [str(k) for k in background if str(k) in classes]
    model = Model(classes, np.ones((len(classes), len(classes)), bool))
    report = evaluate({"paths": said}, true, model, preset="actions", background=",".join(left_out))
    figures = report.data["strategies"]["paths"]
    return {name: float("nan") if figures[key] is None else 100 * figures[key] for name, key in _FIGURES.items()}


# ---- one video, as eval.py of MS-TCN ----


def _segments(frames: Any, bg_class: Any, name: str) -> list[tuple[Any, int, int]]:
    """Class, first frame and end of each segment that is no background."""
    if isinstance(frames, (str, bytes)) or not isinstance(frames, Iterable):
        raise StatepathError(f"{name} must be the classes of a video's frames, not {type(frames).__name__}")
    if isinstance(bg_class, (str, bytes)) or not isinstance(bg_class, Iterable):
        raise StatepathError(f"bg_class={bg_class!r}: a list of classes is needed")
    labels, background = array_of(frames, name), list(bg_class)
    if labels.ndim != 1:
        raise StatepathError(f"{name} must be the classes of a video's frames, not an array of shape {labels.shape}")
    values = labels.tolist()
    begins = [t for t in range(len(values)) if t == 0 or values[t] != values[t - 1]]
    ends = [*begins[1:], len(values)]
    return [(values[a], a, b) for a, b in zip(begins, ends, strict=False) if values[a] not in background]


def edit_score(recognized: Any, ground_truth: Any, norm: bool = True, bg_class: Sequence[Any] = ("background",)) -> float:
    """The edit score of one video, in per cent, as ``eval.py`` of MS-TCN computes it.

    Parameters
    ----------
    recognized, ground_truth : sequence [T]
        The class of each frame.
    norm : bool
        False: the number of segments that are to be inserted, deleted or exchanged.
    bg_class : list
        Classes that are no segments.

    Returns
    -------
    float
        NaN where neither has a segment, for which the script divides by 0.

    Examples
    --------
    >>> from statepath import video
    >>> video.edit_score(["cut", "mix", "mix", "background"], ["cut", "cut", "mix", "cut"]), video.edit_score([0, 1], [1, 1], norm=False)
    (66.66666666666667, 1.0)
    """
    path = [k for k, _, _ in _segments(recognized, bg_class, "recognized")]
    truth = [k for k, _, _ in _segments(ground_truth, bg_class, "ground_truth")]
    row = list(range(len(truth) + 1))
    for i, k in enumerate(path, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(truth, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (k != other))
    if not norm:
        return float(row[-1])
    most = max(len(path), len(truth))
    return (1 - row[-1] / most) * 100 if most else float("nan")


def f_score(recognized: Any, ground_truth: Any, overlap: float, bg_class: Sequence[Any] = ("background",)) -> tuple[float, float, float]:
    """True positives, false positives and false negatives of one video's segments, as ``eval.py`` of MS-TCN counts them.

    Sums over videos give F1: ``2 * tp / (2 * tp + fp + fn)``; :func:`segment_scores` does that.

    Parameters
    ----------
    recognized, ground_truth : sequence [T]
        The class of each frame.
    overlap : float
        The intersection over union that a segment must reach with one of its class: 0.1, 0.25, 0.5.
    bg_class : list
        Classes that are no segments.

    Returns
    -------
    tp, fp, fn : float
        All segments of `recognized` are false positives where `ground_truth` has none, for which the script raises an error.

    Examples
    --------
    >>> from statepath import video
    >>> video.f_score(["cut", "mix", "mix", "background"], ["cut", "cut", "mix", "cut"], 0.5)
    (2.0, 0.0, 1.0)
    """
    try:
        threshold = float(overlap)
    except (TypeError, ValueError):
        threshold = -1.0
    if not 0 < threshold <= 1:
        raise StatepathError(f"overlap={overlap!r}: a number above 0, at most 1, is needed")
    path, truth = _segments(recognized, bg_class, "recognized"), _segments(ground_truth, bg_class, "ground_truth")
    taken: set[int] = set()
    for k, a, b in path:
        best, at = 0.0, -1
        for i, (other, first, end) in enumerate(truth):
            if k == other and end > a and first < b:
                value = (min(b, end) - max(a, first)) / (max(b, end) - min(a, first))
                best, at = (value, i) if value > best else (best, at)  # of equal ones the first
        if best >= threshold:
            taken.add(at)
    right = len(taken)
    return float(right), float(len(path) - right), float(len(truth) - right)
