"""Columns of CoNLL: sentences in files."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ._decoded import Decoded
from ._errors import FileError, StatepathError, StatepathWarning
from ._files import read_text, write_whole
from ._scores import file_name


class Conll(NamedTuple):
    """Sentences in columns; what :func:`read_conll` returns.

    Attributes
    ----------
    tokens : list of list of str, or None
        The first column that is neither `tags` nor `predicted`; None where there is no such column.
    tags : list of list of str
        "" where the file has -1, as of a step that has no class.
    predicted : list of list of str, or None

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from statepath import nlp
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "test.conll"
    >>> _ = file.write_text("Ann B-PER B-PER\\nran O O\\n\\nParis B-LOC O\\n")
    >>> sentences = nlp.read_conll(file, predicted=-1)
    >>> sentences.tokens, sentences.tags, sentences.predicted
    ([['Ann', 'ran'], ['Paris']], [['B-PER', 'O'], ['B-LOC']], [['B-PER', 'O'], ['O']])
    """

    tokens: list[list[str]] | None
    tags: list[list[str]]
    predicted: list[list[str]] | None


_COLUMN = re.compile(r"[^ \t\r]+")
_UNSCORED = ("-1", "-100")


# What may be a comment; "auto": where it does not look like the other lines.
_COMMENT = {"auto": re.compile(r"#([ \t\r]|$)"), "none": re.compile(r"(?!)"), "hash": re.compile("#")}
_TAG = re.compile(r"O|[BIMELSU]-.+")


def _is_alike(first: str, line: str) -> bool:
    """Does a line look like the first that can be nothing but a token: as many columns, and a tag at its end, or parted as it is?"""
    a, b = _COLUMN.findall(first), _COLUMN.findall(line)
    if len(a) != len(b):
        return False
    if len(a) > 1 and _TAG.fullmatch(a[-1]):
        return b[-1] in _UNSCORED or _TAG.fullmatch(b[-1]) is not None
    return ("\t" in first) == ("\t" in line)


def _sentences(file: str | os.PathLike[str], comments: str) -> tuple[str, list[list[list[str]]]]:
    """The name of the file, and of each sentence and token the columns. The rules are those of lib/io/text/conll.c."""
    name, text = read_text(file)
    sentences: list[list[list[str]]] = [[]]
    lines = text.split("\n")
    comment = _COMMENT[comments]
    first = next((line for line in lines if _COLUMN.search(line) and not line.startswith("-DOCSTART-") and not comment.match(line)), "")
    n_columns = len(_COLUMN.findall(first))
    n_comments = 0
    for number, line in enumerate(lines, 1):
        cells = _COLUMN.findall(line)
        if not cells:
            if sentences[-1]:
                sentences.append([])
        elif comment.match(line) and (comments == "hash" or not _is_alike(first, line)):
            n_comments += 1
        elif not line.startswith("-DOCSTART-"):
            if len(cells) != n_columns:
                raise FileError(
                    f"{name}: line {number} has {len(cells)} column{'' if len(cells) == 1 else 's'}, the lines before have {n_columns}; "
                    "columns are parted by blanks or tabs, sentences by an empty line"
                    + ('; comments="hash" passes over what begins with #' if line[0] == "#" else "")
                )
            sentences[-1].append(cells)
    if not sentences[-1]:
        sentences.pop()
    if not sentences:
        raise FileError(f"{name}: holds no token; write a token and its tag a line, an empty line after each sentence")
    if n_comments:
        said = ("s that begin", "are", "comments", "them as tokens") if n_comments > 1 else (" that begins", "is", "a comment", "it as a token")
        warnings.warn(
            '%s: %d line%s with # %s passed over as %s; comments="none" reads %s' % (name, n_comments, *said), StatepathWarning, stacklevel=3
        )
    return name, sentences


def _column(given: Any, n: int, argument: str) -> int:
    """From 0, of a number from 1, or from the last one -1."""
    try:
        number = int(given) if isinstance(given, (str, int, np.integer)) and not isinstance(given, bool) else 0
    except ValueError:
        number = 0
    if number == 0 or abs(number) > n:
        raise StatepathError(f"{argument}={given!r}: it is the number of a column, 1 to {n}, or from the last one -1 to -{n}")
    return number - 1 if number > 0 else n + number


def read_conll(
    file: str | os.PathLike[str],
    *,
    tag: int | str | None = None,
    predicted: int | str | None = None,
    comments: Literal["auto", "none", "hash"] = "auto",
) -> Conll:
    """Sentences in columns of CoNLL, as the program reads them: a token a line, an empty line after each sentence.

    Columns are parted by blanks or tabs. Lines that begin with -DOCSTART- and comments are no tokens.

    Parameters
    ----------
    file : path
    tag : int, optional
        The column of the tags, from 1, or from the last one -1. Without: the last one, or the one before where that is `predicted`.
    predicted : int, optional
        The column of predictions, likewise. Without: there are none.
    comments : {"auto", "none", "hash"}
        Which lines are comments: those that begin with # and a blank, but for what looks like the other lines (a token "#": as many
        columns, and a tag at its end where they have one); none; all that begin with #. A warning says how many there were.

    Returns
    -------
    Conll
        tokens, tags, predicted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from statepath import nlp
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "train.conll"
    >>> _ = file.write_text("-DOCSTART- O\\n\\nAnn B-PER\\nran O\\n\\nParis B-LOC\\n")
    >>> tokens, tags, _ = nlp.read_conll(file)
    >>> tokens, tags
    ([['Ann', 'ran'], ['Paris']], [['B-PER', 'O'], ['B-LOC']])
    """
    if comments not in _COMMENT:
        raise StatepathError(f'comments={comments!r}: it is "auto", "none" or "hash"')
    name, sentences = _sentences(file, comments)
    n = len(sentences[0][0])
    path = None if predicted is None else _column(predicted, n, f"{name}: predicted")
    if tag is None and path == n - 1 == 0:
        raise StatepathError(f"{name}: has one column, which is predicted=: there is none for the tags")
    label = n - 1 - (path == n - 1) if tag is None else _column(tag, n, f"{name}: tag")
    token = next((k for k in range(n) if k not in (label, path)), None)

    def column(k: int, unscored: str = "") -> list[list[str]]:
        return [["" if cells[k] == unscored else cells[k] for cells in sentence] for sentence in sentences]

    return Conll(None if token is None else column(token), column(label, "-1"), None if path is None else column(path, "-1"))


def _cell(text: Any) -> str:
    """What would part columns becomes "_"."""
    return re.sub(r"[ \t\r\n]", "_", str(text)) or "_"


def write_conll(
    file: str | os.PathLike[str],
    decoded: Decoded | Sequence[Sequence[str]],
    tokens: Sequence[Sequence[str]],
    *,
    tags: Sequence[Sequence[str]] | None = None,
    force: bool = False,
) -> None:
    """Writes sentences as the program does: a line has the token, the tag where `tags` are given, and the decoded class.

    The file appears as a whole; an existing one is replaced only with `force`. conlleval, :func:`read_conll` with ``predicted=-1`` and
    ``statepath evaluate`` read it.

    Parameters
    ----------
    file : path
    decoded : Decoded, or list of list of str
        What ``decode(..., full=True)`` or :func:`decode_logits` returned, a recording a sentence.
    tokens : list of list of str
    tags : list of list of str, optional
        The true ones.
    force : bool

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from statepath import nlp
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "out.conll"
    >>> nlp.write_conll(file, [["B-PER", "O"], ["O"]], [["Ann", "ran"], ["Paris"]], tags=[["B-PER", "O"], ["B-LOC"]])
    >>> print(file.read_text().rstrip())
    Ann B-PER B-PER
    ran O O
    <BLANKLINE>
    Paris B-LOC O
    """
    paths = decoded.names() if isinstance(decoded, Decoded) else decoded
    columns: list[tuple[str, Sequence[Sequence[str]]]] = [("tokens", tokens), ("decoded", paths)]
    if tags is not None:
        columns.insert(1, ("tags", tags))
    for argument, given in columns:
        if isinstance(given, (str, bytes)) or not all(isinstance(s, Iterable) and not isinstance(s, (str, bytes)) for s in given):
            raise StatepathError(f"{argument}= must be a list of sentences, each a list of texts")
        if len(given) != len(tokens):
            raise StatepathError(f"{argument}= has {len(given)} sentences and tokens= has {len(tokens)}")
        for n, (one, other) in enumerate(zip(given, tokens, strict=True)):
            if len(one) != len(other):
                raise StatepathError(f"{argument}[{n}] has {len(one)} steps and tokens[{n}] has {len(other)}", recording=n)
    lines = []
    for sentence in zip(*(given for _, given in columns), strict=True):
        for token, *labels in zip(*sentence, strict=True):
            lines.append(" ".join([_cell(token), *("-1" if label in ("", None) else _cell(label) for label in labels)]))
        lines.append("")

    def write(name: str) -> None:
        with open(name, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
            stream.writelines(line + "\n" for line in lines)

    write_whole(os.fsdecode(file_name(file)), write, force)
