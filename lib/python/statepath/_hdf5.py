"""HDF5 files by h5py: the library's table of formats asks for what is in them where it would ask its own reader of HDF5.

Which array is what, the layouts and the checks are the library's. All functions return (what was asked for, None) or (None, sentence).
"""

from __future__ import annotations

import io
import os
import threading
from typing import Any

import numpy as np

from ._errors import StatepathError, needed

_ABSENT, _ARRAY, _GROUP, _OTHER, _BROKEN = range(5)  # sp_stored_what


class _Kept(threading.local):
    """Of this thread's reading: the files that are open, and what ended it and is no fault of a file, such as Ctrl-C."""

    files: dict[bytes, Any]
    error: BaseException | None

    def __init__(self) -> None:
        self.files = {}
        self.error = None

    def clear(self) -> None:
        for f in self.files.values():
            f.close()
        self.files = {}
        self.error = None


kept = _Kept()


class _Refused(Exception):
    """A sentence for the user."""


def _answer(file: bytes, ask: Any) -> tuple[Any, str | None]:
    name = os.fsdecode(file)
    try:
        h5py = needed("h5py", f"{name}: HDF5 files are read")
        if file not in kept.files:
            kept.files[file] = h5py.File(name, "r")
        return ask(h5py, kept.files[file], name), None
    except (StatepathError, _Refused) as error:
        return None, str(error)
    except (OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
        return None, f"{name}: h5py cannot read it: {error}"
    except BaseException as error:
        kept.error = error
        return None, f"{name}: reading was stopped"


def _what(h5py: Any, f: Any, path: str) -> int:
    """What stands at a path. Soft links are followed to paths of hard links; those that may lead to other files are not."""
    at = f
    for name in filter(None, path.split("/")):
        link = at.get(name, getlink=True) if isinstance(at, h5py.Group) else None
        if link is None:
            return _ABSENT
        if isinstance(link, h5py.SoftLink):
            start = f if link.path.startswith("/") else at
            if not _is_hard(h5py, start, link.path):
                return _BROKEN
        elif not isinstance(link, h5py.HardLink):
            return _BROKEN
        at = at[name]
    return _GROUP if isinstance(at, h5py.Group) else _ARRAY if isinstance(at, h5py.Dataset) else _OTHER


def _is_hard(h5py: Any, at: Any, path: str) -> bool:
    for name in filter(None, path.split("/")):
        if not isinstance(at, h5py.Group) or not isinstance(at.get(name, getlink=True), h5py.HardLink):
            return False
        at = at[name]
    return True


def open_(file: bytes, _: None) -> tuple[list[str] | None, str | None]:
    """Can it be opened?"""
    return _answer(file, lambda h5py, f, name: [])


def what(file: bytes, path: str) -> tuple[list[str] | None, str | None]:
    """What stands at a path, as a number."""
    return _answer(file, lambda h5py, f, name: [str(_what(h5py, f, path))])


def links(file: bytes, group: str) -> tuple[list[str] | None, str | None]:
    """The names in a group."""
    return _answer(file, lambda h5py, f, name: list(f[group]))


def explain(file: bytes, asked: tuple[str, str]) -> tuple[list[str] | None, str | None]:
    """The sentence for a path where there is no array."""

    def ask(h5py: Any, f: Any, name: str) -> list[str]:
        path, mend = asked
        found = _what(h5py, f, path)
        if found == _BROKEN:
            raise _Refused(f"{name}: {path} is a link that leads to another file, or nowhere, which is not followed here; `statepath convert` packs such a file")
        raise _Refused(f"{name}: there is no dataset {path}; {mend}" if found == _ABSENT else f"{name}: {path} is a group, not a dataset; {mend}")

    return _answer(file, ask)


def listed(file: bytes, _: None) -> tuple[list[str] | None, str | None]:
    """What the file holds, and the path of something that may be scores, or ""."""

    def ask(h5py: Any, f: Any, name: str) -> list[str]:
        found: list[Any] = []
        f.visititems(lambda _, item: found.append(item) if isinstance(item, h5py.Dataset) else None)
        holds = ", ".join(f"{d.name} {d.dtype} {list(d.shape or ())}" for d in found[:10]) + (", and more" if len(found) > 10 else "")
        return [holds or "no datasets", next((d.name for d in found if d.ndim in (2, 3) and d.dtype.kind == "f"), "")]

    return _answer(file, ask)


def attribute(file: bytes, asked: tuple[str, str]) -> tuple[list[str] | None, str | None]:
    """An attribute of what stands at a path as texts, after "1" where they were whole numbers, else "0"; nothing where there is none."""

    def ask(h5py: Any, f: Any, name: str) -> list[str]:
        path, attribute_name = asked
        if _what(h5py, f, path) not in (_ARRAY, _GROUP) or attribute_name not in f[path].attrs:
            return []
        values = np.ravel(f[path].attrs[attribute_name])
        texts = [v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in values.tolist()]
        return ["1" if values.dtype.kind in "iub" else "0", *texts]

    return _answer(file, ask)


def array(file: bytes, asked: tuple[str, int]) -> tuple[bytes | None, str | None]:
    """One of them as numpy.save writes it; without its values only the header."""

    def ask(h5py: Any, f: Any, name: str) -> bytes:
        path, has_values = asked
        data = f[path]
        if data.external or data.is_virtual:
            raise _Refused(f"{name}: the values of {path} lie in other files, which is not followed here; `statepath convert` packs such a file")
        if data.shape is None:
            raise _Refused(f"{name}: dataset {path} is empty: it has neither shape nor values; write it again")
        if not has_values and data.dtype.kind in "biuf":
            return _header(data.dtype, data.shape)
        is_text = h5py.check_string_dtype(data.dtype) is not None
        values = _plain(data.asstr(errors="replace")[()] if is_text else data[()], name, path)
        return _header(values.dtype, values.shape) + (values.tobytes() if has_values else b"")

    return _answer(file, ask)


def _header(dtype: Any, shape: tuple[int, ...]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape})
    return out.getvalue()


def _plain(values: Any, name: str, path: str) -> Any:
    """Numbers, or texts of one length."""
    a = np.asarray(values)
    if a.dtype.kind in "OS":
        a = np.array([v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in a.ravel().tolist()], dtype=np.str_).reshape(a.shape)
    if a.dtype.kind not in "biufU":
        raise _Refused(f"{name}: dataset {path} holds {a.dtype}, which cannot be read as numbers here; write it again as integers or floats")
    return a
