"""HDF5 files as arrays, by h5py: the library's table of formats asks for them where it would ask its own reader of HDF5.

Which array is what, the layouts and the checks are the library's. Both functions return (what was asked for, None) or (None, sentence).
"""

from __future__ import annotations

import io
import os
import re
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._errors import StatepathError, needed
from ._scores import KINDS

_BESIDE = ("offsets", "lengths", "valid", "attention_mask", "ids", "classes", "subjects", "epoch_seconds", "tokens")
Place = tuple[str, str | None]  # a path in the file, and an attribute of what is there, or None
_FOREIGN = ""  # in place of an attribute: the path is a link that is not followed
_ATTRIBUTES = {"classes": ("classes", "class_names"), "epoch_seconds": ("epoch_seconds",)}


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


def _reference(paths: Sequence[str], place: str | None) -> str:
    """The dataset, or with {id} the datasets, that the others stand beside: as the library finds it."""
    if place:
        return place.strip("/")
    for name in (*KINDS, "labels"):
        if name in paths:
            return name
    return next((f"recordings/{{id}}/{k}" for k in (*KINDS, "labels") for p in paths if p.startswith("recordings/") and p.endswith("/" + k)), "")


def _said(f: Any, dataset: str, name: str) -> Place | None:
    """Where the attributes of a dataset and of the groups around it, or a dataset beside it, say something."""
    group: str | None = dataset
    while group is not None:
        attributes = (f[group] if group else f).attrs
        for attribute in _ATTRIBUTES[name]:
            if attribute in attributes and (name != "classes" or np.ndim(attributes[attribute])):
                return group, attribute
        group = _parent(group) if group else None
        if group is not None and group + "/" + name in f:
            return group + "/" + name, None
    return None


def _value(f: Any, place: Place) -> tuple[str, ...]:
    path, attribute = place
    values = (f[path] if path else f).attrs[attribute] if attribute else f[path][()]
    return tuple(v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in np.ravel(values).tolist())


def _places(f: Any, paths: list[str], place: str | None, file: str) -> dict[str, Place]:
    """{name of an array: where it is}.

    Without a place: what stands in the root, or in /recordings. What stands beside a dataset that is named is called as in the root.
    """
    reference = _reference(paths, place)
    folder = "" if place or not reference.startswith("recordings/") else "recordings/"
    found: dict[str, Place] = {p: (p, None) for p in paths if place or "/" not in p or p.startswith(folder or "paths/")}
    before = _parent(reference.partition("{id}")[0])
    while before:
        found.update({n: (f"{before}/{n}", None) for n in _BESIDE if f"{before}/{n}" in paths and found.get(n, ("", None))[0] in ("", n)})
        before = _parent(before)
    pattern = re.compile(re.escape(reference).replace(re.escape("{id}"), ".+"))
    datasets = [p for p in paths if pattern.fullmatch(p)]
    for name in _ATTRIBUTES:
        known = {said: _value(f, said) for said in (_said(f, d, name) for d in datasets) if said} if name not in found else {}
        if len(set(known.values())) > 1:
            a, b = list(dict.fromkeys(known.values()))[:2]
            raise _Refused(f"{file}: one recording says {name} {', '.join(a[:20])}, another {', '.join(b[:20])}; write the same for all, in the same order")
        if known:
            found[name] = next(iter(known))
    return found


def names(file: bytes, place: str | None) -> tuple[list[str] | None, str | None]:
    """The names of a file's arrays."""

    def ask(h5py: Any, f: Any, name: str) -> list[str]:
        paths: list[str] = []
        foreign: list[str] = []
        _walk(h5py, f, "", paths, foreign)
        found = {p: (p, _FOREIGN) for p in foreign} | _places(f, paths, place, name)
        kept.places[file] = found
        if not found:
            raise _Refused(f"{name}: holds no datasets")
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
        data = f[path]
        if data.external or data.is_virtual:
            raise _Refused(f"{name}: the values of {path} lie in other files, which is not followed here; `statepath convert` packs such a file")
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
            said = (path, what) if what in at.attrs else (f"{path}/{what}", None) if isinstance(at, h5py.Group) and what in at else None
            found = _value(f, said) if said else None
            if found is not None and (len(found) != 1 or not found[0]):
                raise _Refused(f'{name}: recording {recording}: its {what} must be one name or number; write it so, or leave subjects aside with groups="none"')
            return found[0] if found else ""

        return [text(recording) for recording in ids]

    return _answer(file, ask)
