"""Texts that are read, and files that appear as a whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable

from ._errors import FileError
from ._scores import file_name


def read_text(file: str | os.PathLike[str]) -> tuple[str, str]:
    """The name of a text file and what it holds; bytes that are no UTF-8 come through, for errors="surrogateescape" gives them back."""
    name = os.fsdecode(file_name(file))
    try:
        with open(name, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise FileError(f"{name}: cannot be read ({error.strerror or error})") from None
    if b"\0" in data:
        raise FileError(f"{name}: is not a text file in UTF-8")
    return name, data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def write_whole(target: str, write: Callable[[str], None], force: bool) -> None:
    """write(name) writes a file beside the target, which is then renamed: whoever reads sees the old one or the whole new one.

    An existing file is an error without `force`.
    """
    if os.path.exists(target) and not force:
        raise FileError(f"{target}: exists already; write force=True to replace it")
    try:
        _write_beside(target, write)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{target}: cannot be written ({error.strerror or error})") from None


def _write_beside(target: str, write: Callable[[str], None]) -> None:
    folder, name = os.path.split(os.path.realpath(target))
    handle, beside = tempfile.mkstemp(prefix=f".{name}.", suffix=os.path.splitext(name)[1], dir=folder)
    os.close(handle)
    try:
        write(beside)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise
