"""Action segmentation: F1@k and edit score of frames' classes, and the folders of labels that its datasets have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fsdecode, listdir
from os.path import join, splitext
from typing import Any

import numpy as np

from ._errors import FileError, StatepathError
from ._evaluate import evaluate
from ._model import Model
from ._scores import array_of, file_name

__all__ = ["read_labels", "segment_scores"]

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
    folder = fsdecode(file_name(folder))
    try:
        found = listdir(folder)
    except OSError as error:
        raise FileError(f"{folder}: cannot be read: {error.strerror}") from None
    files = sorted(n for n in found if n.endswith(".txt")) if names is None else [splitext(n)[0] + ".txt" for n in names]
    labels = {}
    for name in files:
        with open(join(folder, name), encoding="utf-8") as file:
            labels[splitext(name)[0]] = [line.strip() for line in file if line.strip()]
    return labels


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
