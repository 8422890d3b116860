"""HDF5 files as arrays, by h5py: the library's table of formats asks for them where it would ask its own reader of HDF5.

Which array is what, the layouts and the checks are the library's. All functions return (what was asked for, None) or (None, sentence).
"""

from __future__ import annotations

import io
import os
import re
import threading
from collections.abc import Container, Sequence, Set
from typing import Any

import numpy as np

from ._errors import StatepathError, needed
from ._scores import KINDS

_SEVERAL = ("offsets", "lengths", "valid", "ids")  # beside scores of several recordings
_SHAPES = (*_SEVERAL, "attention_mask", "tokens")  # stand beside the dataset, and nowhere else
_USUAL = (*_SHAPES, "classes", "subjects", "epoch_seconds", "labels", "label_ids", "segments", "weights", "mask")
_TRAINER = "predictions"  # scores as transformers' Trainer calls them, beside label_ids
Place = tuple[str, str | None]  # a path in the file, and an attribute of what is there, or None
_FOREIGN = ""  # in place of an attribute: the path is a link that is not followed
_ATTRIBUTES = {"classes": ("classes", "class_names"), "epoch_seconds": ("epoch_seconds",), "gaps": ("gaps",)}


class _Kept(threading.local):
    """Of this thread's reading: where the arrays of each file are, and what ended it and is no fault of a file, such as Ctrl-C."""

    places: dict[bytes, dict[str, Place]]
    error: BaseException | None

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.places = {}
        self.error = None


kept = _Kept()


class _Refused(Exception):
    """A sentence for the user."""


def _answer(file: bytes, ask: Any) -> tuple[Any, str | None]:
    name = os.fsdecode(file)
    try:
        h5py = needed("h5py", f"{name}: HDF5 files are read")
        with h5py.File(name, "r") as f:
            return ask(h5py, f, name), None
    except (StatepathError, _Refused) as error:
        return None, str(error)
    except (OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
        return None, f"{name}: h5py cannot read it: {error}"
    except BaseException as error:
        kept.error = error
        return None, f"{name}: reading was stopped"


def _stays(h5py: Any, group: Any, link: Any) -> bool:
    """Does a link lead to something in this file? Of soft links those to a path of hard links."""
    if not isinstance(link, h5py.SoftLink):
        return isinstance(link, h5py.HardLink)
    at = group.file if link.path.startswith("/") else group
    for name in filter(None, link.path.split("/")):
        if not isinstance(at, h5py.Group) or not isinstance(at.get(name, getlink=True), h5py.HardLink):
            return False
        at = at[name]
    return True


def _walk(h5py: Any, group: Any, prefix: str, paths: list[str], foreign: list[str]) -> None:
    """Names of the datasets below a group, and of links that may lead to other files: these are not followed."""
    for name in group:
        link = group.get(name, getlink=True)
        if not _stays(h5py, group, link):
            foreign.append(prefix + name)
            continue
        kind = group.get(name, getclass=True)
        if kind is h5py.Group and isinstance(link, h5py.HardLink):
            _walk(h5py, group[name], f"{prefix}{name}/", paths, foreign)
        elif kind is h5py.Dataset:
            paths.append(prefix + name)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _reference(f: Any, paths: Sequence[str], foreign: Container[str], names: Sequence[str]) -> str:
    """The first of these datasets in the root, else with {id} in /recordings, else in groups of the root, or a folder; "": there is none."""
    in_groups = {p.rpartition("/")[2] for p in paths if p.startswith("recordings/") and p.count("/") == 2}
    found = next((n for n in names if n in paths), None) or next((f"recordings/{{id}}/{n}" for n in names if n in in_groups), None)
    if found or any(p.startswith("paths/") for p in paths):
        return found or ""
    rank = 1 if "labels" in names else 2
    below = [(p, *p.split("/")) for p in paths if p.count("/") == 1 and p not in foreign]
    are_one_each = not any(name in _SEVERAL for _, _, name in below)
    for path, group, name in below:
        if name in names and are_one_each and f[path].ndim == rank:
            absent = next((g for g in dict.fromkeys(g for _, g, _ in below) if f"{g}/{name}" not in paths), None)
            if absent:
                raise _Refused(f"{f.filename}: recording {absent} has no dataset /{absent}/{name}; write it, or take the group out of /")
            return f"{{id}}/{name}"
    return next((f"{group}/{{id}}" for path, group, _ in below if group in names and f[path].ndim == rank), "")


def _can_name(values: Any, dataset: Any) -> bool:
    """Numbers of another count than the classes are something else that happens to be called so."""
    return np.ndim(values) > 0 and (np.asarray(values).dtype.kind not in "iuf" or np.size(values) == dataset.shape[-1] > 1)


def _said(f: Any, paths: Set[str], dataset: str, name: str) -> Place | None:
    """Where the attributes of a dataset and of the groups around it, or a dataset beside it, say something."""
    group: str | None = dataset
    while group is not None:
        attributes = (f[group] if group else f).attrs
        for attribute in _ATTRIBUTES[name]:
            if attribute in attributes and (name != "classes" or _can_name(attributes[attribute], f[dataset])):
                return group, attribute
        group = _parent(group) if group else None
        if group is not None and group + "/" + name in paths:
            return group + "/" + name, None
    return None


def _dataset(f: Any, path: str) -> Any:
    """A dataset whose values are in this file."""
    data = f[path]
    if data.external or data.is_virtual:
        raise _Refused(f"{f.filename}: the values of {path} lie in other files, which is not followed here; `statepath convert` packs such a file")
    return data


def _value(f: Any, place: Place) -> tuple[str, ...]:
    path, attribute = place
    values = (f[path] if path else f).attrs[attribute] if attribute else _dataset(f, path)[()]
    return tuple(v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in np.ravel(values).tolist())


def _shown(f: Any, paths: list[str], foreign: list[str], kinds: Sequence[str], place: str | None, labels: str | None) -> tuple[str, dict[str, Place]]:
    """The dataset that the others stand beside, with {id} or "", and the arrays of the file as the library is to see them.

    What has no usual name, or lies in a group of its own, is only found where it is asked for: the library finds more by itself in formats
    that have no other way. What stands beside a dataset that is asked for is called as in the root.
    """
    if place:
        reference = place.strip("/")
        group = _parent(reference.partition("{id}")[0])
        shown = {p: p for p in paths if not group or p not in _SHAPES}
        shown |= {n: f"{group}/{n}" for n in (*_SHAPES, "classes", "subjects") if group and f"{group}/{n}" in paths}
        return reference, {n: (p, None) for n, p in shown.items()}
    reference = _reference(f, paths, foreign, kinds)
    if not reference:
        asked = (labels or "").strip("/")
        pattern = re.compile(re.escape(asked).replace(re.escape("{id}"), ".+"))
        seen = [p for p in paths if p in _USUAL or p.startswith("paths/") or pattern.fullmatch(p) or re.fullmatch("recordings/[^/]+/labels", p)]
        return asked or _reference(f, paths, foreign, ("labels", "label_ids")), {p: (p, None) for p in seen}
    if "/" in reference:
        return reference, {p: (p, None) for p in paths if "/" not in p or p.count("/") == reference.count("/")}
    return reference, {p: (p, None) for p in paths if "/" not in p or p.rpartition("/")[2] not in kinds}


def _look_for_labels(f: Any, paths: list[str], has_labels: object, found: Container[str], file: str) -> None:
    """A file without scores by a usual name: the sentence for one that has no labels either, or may have scores by another name."""
    if not has_labels:
        holds = ", ".join(paths[:6]) + (f" and {len(paths) - 6} more" if len(paths) > 6 else "") or "no datasets"
        raise _Refused(f"{file}: found no scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>); it holds {holds}; say where they are with scores=")
    other = next((p for p in paths if p not in found and f[p].ndim in (2, 3) and f[p].dtype.kind == "f"), None)
    if other:
        raise _Refused(f"{file}: has labels, and {other} that may be scores; say what is meant with scores= or labels=, in a file of labels with labels_dataset=")


def _places(f: Any, paths: list[str], foreign: list[str], place: str | None, labels: str | None, file: str) -> dict[str, Place]:
    """{name of an array: where it is}, with what attributes say."""
    are_trainers = _TRAINER in paths and f[_TRAINER].dtype.kind == "f"
    kinds = (*KINDS, _TRAINER) if are_trainers else KINDS
    reference, found = _shown(f, paths + foreign, foreign, kinds, place, labels)
    found = {n: (p, _FOREIGN if p in foreign else None) for n, (p, _) in found.items()}
    if not (place or labels or reference.rpartition("/")[2] in kinds):
        _look_for_labels(f, paths, reference or any(p.startswith("paths/") for p in found), found, file)
    pattern = re.compile(re.escape(reference).replace(re.escape("{id}"), ".+"))
    here = frozenset(paths)
    datasets = [p for p in paths if pattern.fullmatch(p)]
    for name in _ATTRIBUTES:
        known = {said: _value(f, said) for said in (_said(f, here, d, name) for d in datasets) if said} if name not in found else {}
        if len(set(known.values())) > 1:
            a, b = list(dict.fromkeys(known.values()))[:2]
            raise _Refused(f"{file}: one recording says {name} {', '.join(a[:20])}, another {', '.join(b[:20])}; write the same for all, in the same order")
        if known:
            found[name] = next(iter(known))
    return found


def names(file: bytes, asked: tuple[str | None, str | None]) -> tuple[list[str] | None, str | None]:
    """The names of a file's arrays; `asked`: the places of scores (or paths) and labels that were given."""

    def ask(h5py: Any, f: Any, name: str) -> list[str]:
        paths: list[str] = []
        foreign: list[str] = []
        _walk(h5py, f, "", paths, foreign)
        found = _places(f, paths, foreign, *asked, name)
        kept.places[file] = found
        return list(found)

    return _answer(file, ask)


def array(file: bytes, wanted: str) -> tuple[bytes | None, str | None]:
    """One of them, as numpy.save writes it."""

    def ask(h5py: Any, f: Any, name: str) -> bytes:
        path, attribute = kept.places[file][wanted]
        if attribute == _FOREIGN:
            raise _Refused(f"{name}: {path} is a link that leads to another file, or nowhere, which is not followed here; `statepath convert` packs such a file")
        if attribute is not None:
            return _npy((f[path] if path else f).attrs[attribute], name, attribute)
        data = _dataset(f, path)
        is_text = h5py.check_string_dtype(data.dtype) is not None
        return _npy(data.asstr(errors="replace")[()] if is_text else data[()], name, path)

    return _answer(file, ask)


def _npy(values: Any, name: str, path: str) -> bytes:
    a = np.asarray(values)
    if a.dtype.kind in "OS":
        a = np.array([v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in a.ravel().tolist()], dtype=np.str_).reshape(a.shape)
    if a.dtype.kind not in "biufU":
        raise _Refused(f"{name}: {path} holds {a.dtype}, not numbers or texts")
    out = io.BytesIO()
    np.save(out, np.ascontiguousarray(a) if a.ndim else a, allow_pickle=False)
    return out.getvalue()


def subjects(file: bytes, asked: tuple[str, str, list[str]]) -> tuple[list[str] | None, str | None]:
    """What each recording's group, or dataset where the pattern ends with its id, says by an attribute or a dataset of that name; "": nothing."""

    def ask(h5py: Any, f: Any, name: str) -> list[str]:
        pattern, what, ids = asked
        group = pattern if "{id}" in pattern.rpartition("/")[2] else _parent(pattern)

        def text(recording: str) -> str:
            path = group.replace("{id}", recording)
            at = f[path]
            is_dataset = isinstance(at, h5py.Group) and isinstance(at.get(what, getlink=True), h5py.HardLink)
            said = (path, what) if what in at.attrs else (f"{path}/{what}", None) if is_dataset else None
            found = _value(f, said) if said else None
            if found is not None and (len(found) != 1 or not found[0]):
                raise _Refused(f'{name}: recording {recording}: its {what} must be one name or number; write it so, or leave subjects aside with groups="none"')
            return found[0] if found else ""

        return [text(recording) for recording in ids]

    return _answer(file, ask)
