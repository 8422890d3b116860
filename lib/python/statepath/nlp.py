"""Token classification: legal tags for the models of Hugging Face, metrics for their Trainer, entities, and columns of CoNLL."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._decode import decode
from ._decoded import Decoded
from ._errors import FileError, StatepathError
from ._evaluate import compare
from ._files import read_text, write_whole
from ._masks import masked_softmax
from ._model import Model
from ._passes import marginals
from ._scores import array_of, file_name

__all__ = ["Conll", "compute_metrics", "decode_logits", "pipeline", "read_conll", "spans", "write_conll"]


def _tags(id2label: Mapping[Any, str]) -> list[str]:
    return [id2label[k] for k in sorted(id2label, key=int)]


def _model(id2label: Mapping[Any, str], scheme: str | None, model: Model | None) -> Model:
    if model is not None:
        return model
    tags = _tags(id2label)
    found: Any = scheme or _core.tag_scheme(tags)
    return Model.bio(tags, found)


def _words_of(word_ids: Any, shape: tuple[int, int]) -> NDArray[np.int64]:
    words = [[-1 if w is None else w for w in row] for row in word_ids]
    if len(words) != shape[0] or any(len(row) != shape[1] for row in words):
        raise StatepathError(f"word_ids= must have a number or None for each token of {shape}")
    return np.array(words, np.int64).reshape(shape)


def _real(shape: tuple[int, int], attention_mask: Any, labels: Any) -> NDArray[np.bool_]:
    """Tokens that are no padding, and labelled where labels are there."""
    real = np.ones(shape, bool)
    for given, name in ((attention_mask, "attention_mask"), (labels, "labels")):
        if given is None:
            continue
        a = array_of(given, name)
        if a.shape != shape:
            raise StatepathError(f"{name}= has shape {a.shape}, not {shape}")
        real &= a != -100 if name == "labels" else a.astype(bool)
    return real


def _joined(logits: NDArray[Any], group: NDArray[np.int64], how: str) -> NDArray[Any]:
    """One row a group of tokens, which are numbered [T] from 0: the mean of their probabilities, or the row of the surest one."""
    p = masked_softmax(logits)
    n = int(group.max(initial=-1)) + 1
    if how == "mean":
        sums = np.zeros((n, p.shape[1]))
        np.add.at(sums, group, p)
        sums /= sums.sum(axis=1, keepdims=True)
        return sums
    order = np.lexsort((np.arange(len(group)), -p.max(axis=1), group))
    return np.ascontiguousarray(logits[order[np.searchsorted(group[order], np.arange(n))]])


def decode_logits(
    logits: Any,
    *,
    id2label: Mapping[Any, str],
    attention_mask: Any = None,
    labels: Any = None,
    word_ids: Any = None,
    subwords: Literal["first", "mean", "max"] = "first",
    scheme: str | None = None,
    model: Model | None = None,
    strategy: str = "viterbi",
    full: bool = False,
) -> Any:
    """Legal tags of logits [N,T,K]: of each sentence the tags of its words.

    Padding (attention_mask), tokens labelled -100 and all but the first token of a word (word_ids, None for special tokens) are left out
    of the chain: what stands before and after them is adjacent.

    Parameters
    ----------
    logits : array [N,T,K]
    id2label : mapping
        The tag of each column, as the configuration of a model has it.
    attention_mask, labels : array [N,T], optional
    word_ids : list of lists, optional
        The word of each token, as fast tokenizers say it; None for special tokens.
    subwords : {"first", "mean", "max"}
        What a word of several tokens is decoded by: the logits of its first token, the mean of their probabilities, or the logits of the
        token whose greatest probability is the greatest; with `word_ids`. They are the pipeline's "first", "average" and "max". A word
        takes part where its first token does.
    scheme : str, optional
        "IOB2", "BIOES" and so on. Without: by the letters of the tags.
    model : Model, optional
        The rules, in place of a scheme's.
    strategy : str
        As in :func:`statepath.decode`.
    full : bool
        True: a :class:`statepath.Decoded`, with scores, status and more.

    Returns
    -------
    list of list of str, or Decoded

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.nlp import decode_logits
    >>> id2label = {0: "O", 1: "B-PER", 2: "I-PER"}
    >>> logits = np.array([[[9.0, 0, 0], [0, 0.9, 1.0], [0, 5.0, 0], [0, 0, 2.0], [9.0, 0, 0]]])
    >>> word_ids = [[None, 0, 0, 1, None]]
    >>> decode_logits(logits, id2label=id2label, word_ids=word_ids)
    [['B-PER', 'I-PER']]
    >>> decode_logits(logits, id2label=id2label, word_ids=word_ids, subwords="mean", full=True).scores.round(3)
    array([-0.607])
    """
    rows = array_of(logits, "logits")
    if rows.ndim != 3:
        raise StatepathError(f"logits have shape {rows.shape}: (sentences, tokens, tags) is needed")
    if subwords not in ("first", "mean", "max"):
        raise StatepathError(f'subwords={subwords!r}: it is "first", "mean" or "max"')
    if subwords != "first" and word_ids is None:
        raise StatepathError(f'subwords="{subwords}" needs word_ids=, which say whose tokens are')
    rules, tags = _model(id2label, scheme, model), _tags(id2label)
    real = _real(rows.shape[:2], attention_mask, labels)
    if word_ids is None:
        chains = [np.ascontiguousarray(r[m]) for r, m in zip(rows, real, strict=True)]
    else:
        words = _words_of(word_ids, rows.shape[:2])
        begins = (words >= 0) & np.pad(words[:, 1:] != words[:, :-1], ((0, 0), (1, 0)), constant_values=True)
        word = np.cumsum(begins, axis=1) - 1  # of each token, from 0
        takes_part = words >= 0
        if attention_mask is not None:
            takes_part &= array_of(attention_mask, "attention_mask").astype(bool)
        chains = []
        for r, w, first, inside in zip(rows, word, begins & real, takes_part, strict=True):
            if subwords == "first":
                chains.append(np.ascontiguousarray(r[first]))
            else:
                kept = inside & np.isin(w, w[first])
                chains.append(_joined(r[kept], np.searchsorted(w[first], w[kept]), subwords))
    kind: Any = "probs" if subwords == "mean" else "logits"
    d = decode(chains, rules, strategy, kind=kind, classes=tags, full=True)
    return d if full else d.names()


def compute_metrics(id2label: Mapping[Any, str], strategies: Sequence[str] = ("argmax", "viterbi"), *, scheme: str | None = None) -> Callable[[Any], dict[str, float]]:
    """For ``transformers.Trainer(compute_metrics=...)``: accuracy, entity F1 and illegal transitions, by each strategy.

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.nlp import compute_metrics
    >>> metrics = compute_metrics({0: "O", 1: "B-PER", 2: "I-PER"})
    >>> found = metrics((np.array([[[9.0, 0, 0], [0, 0.9, 1.0], [0, 0, 5.0]]]), np.array([[-100, 1, 2]])))
    >>> found["argmax_illegal"], found["viterbi_illegal"], found["viterbi_accuracy"]
    (1.0, 0.0, 1.0)
    """
    rules = _model(id2label, scheme, None)
    tags = _tags(id2label)

    def metrics(prediction: Any) -> dict[str, float]:
        logits, labels = (prediction.predictions, prediction.label_ids) if hasattr(prediction, "predictions") else prediction
        rows, truth = array_of(logits[0] if isinstance(logits, tuple) else logits, "logits"), array_of(labels, "labels")
        real = truth != -100
        scores = [np.ascontiguousarray(r[m]) for r, m in zip(rows, real, strict=True)]
        report = compare(
            scores, [t[m] for t, m in zip(truth, real, strict=True)], rules, strategies, kind="logits", classes=tags, on_infeasible="relax", trace_steps=0, what_if_bytes=0
        )
        out: dict[str, float] = {}
        for name, s in report.data["strategies"].items():
            found = {"accuracy": s.get("accuracy"), "illegal": s["illegal"] + s["illegal_start"] + s["illegal_end"]}
            entities = s.get("entities") or {}
            found |= {key: entities.get(key) for key in ("precision", "recall", "f1")}
            out |= {f"{name}_{key}": float(v) for key, v in found.items() if v is not None}
        return out

    return metrics


def pipeline(task_pipeline: Any, model: Model | None = None, strategy: str = "viterbi") -> Any:
    """Makes a token-classification pipeline legal: tags by decoding, scores that are marginals given the rules.

    The pipeline itself is changed and returned. Tags are those of its model; special tokens, and tokens that are not the first of their
    word, are left out of the chain and take what their word has.

    Examples
    --------
    >>> from statepath.nlp import pipeline
    >>> ner = pipeline(transformers.pipeline("token-classification", model=name))  # doctest: +SKIP
    """
    id2label = task_pipeline.model.config.id2label
    rules = _model(id2label, None, model)
    tags = _tags(id2label)
    gather = task_pipeline.gather_pre_entities

    def legal(sentence: str, input_ids: Any, scores: Any, offset_mapping: Any, special_tokens_mask: Any, *rest: Any, **more: Any) -> Any:
        rows = np.array(scores, np.float64)
        inside = np.asarray(special_tokens_mask) == 0
        entities = gather(sentence, input_ids, rows, offset_mapping, special_tokens_mask, *rest, **more)
        first = np.flatnonzero(inside)
        if len(entities) != len(first):
            raise StatepathError("the pipeline splits its tokens in a way that is not known here")
        begins = np.array([not e["is_subword"] for e in entities], bool)
        if len(begins) == 0:
            return entities
        begins[0] = True
        chain = np.ascontiguousarray(rows[first[begins]])
        chain /= chain.sum(axis=1, keepdims=True)
        path = decode(chain, rules, strategy, kind="probs", classes=tags)
        p = marginals(chain, rules, kind="probs", classes=tags)
        word = np.cumsum(begins) - 1
        for e, w in zip(entities, word.tolist(), strict=True):
            # The greatest of a row is the tag that is said; its value is the marginal.
            e["scores"] = np.where(np.arange(len(tags)) == path[w], np.maximum(p[w], np.finfo(float).tiny), 0.0)
        return entities

    task_pipeline.gather_pre_entities = legal
    return task_pipeline


# ---- entities ----


def spans(path: Sequence[str], scheme: str | None = None) -> list[tuple[str, int, int]]:
    """The entities of a sentence's tags: (type, first, end), of which the tokens are ``tokens[first:end]``.

    ``statepath.compat.seqeval.get_entities`` gives the last token in place of the end, as seqeval does.

    Parameters
    ----------
    path : sequence of str
        Tags of one sentence.
    scheme : str, optional
        "IOB1", "IOB2", "IOE1", "IOE2", "BIOES", "BILOU" or "BMES": only entities that are correct in it. Without: as conlleval reads any
        tags, correct or not.

    Examples
    --------
    >>> from statepath.nlp import spans
    >>> spans(["B-PER", "I-PER", "O", "I-LOC"])
    [('PER', 0, 2), ('LOC', 3, 4)]
    >>> spans(["B-PER", "I-PER", "O", "I-LOC"], scheme="IOB2")
    [('PER', 0, 2)]
    """
    tags: list[Any] = list(path) if isinstance(path, Iterable) and not isinstance(path, (str, bytes)) else [None]
    if not all(isinstance(tag, str) for tag in tags):
        raise StatepathError("path: the tags of one sentence are needed, a list of texts")
    try:
        found = _core.tag_entities(tags, scheme, False)
    except StatepathError:
        raise
    except ValueError as error:
        raise StatepathError(str(error)) from None
    return [(kind, first, last + 1) for kind, first, last in found]


# ---- columns of CoNLL ----


class Conll(NamedTuple):
    """Sentences in columns; what :func:`read_conll` returns.

    Attributes
    ----------
    tokens : list of list of str, or None
        The first column that is neither `tags` nor `predicted`; None where there is no such column.
    tags : list of list of str
        "" where the file has -1 or -100, as of a step that has no class.
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


def _sentences(file: str | os.PathLike[str]) -> tuple[str, list[list[list[str]]]]:
    """The name of the file, and of each sentence and token the columns. The rules are those of lib/io/text/conll.c."""
    name, text = read_text(file)
    sentences: list[list[list[str]]] = [[]]
    n_columns = 0
    for number, line in enumerate(text.split("\n"), 1):
        cells = _COLUMN.findall(line)
        if not cells:
            if sentences[-1]:
                sentences.append([])
        elif not line.startswith(("# ", "#\t", "-DOCSTART-")):
            n_columns = n_columns or len(cells)
            if len(cells) != n_columns:
                raise FileError(
                    f"{name}: line {number} has {len(cells)} column{'' if len(cells) == 1 else 's'}, the lines before have {n_columns}; "
                    "columns are parted by blanks or tabs, sentences by an empty line"
                )
            sentences[-1].append(cells)
    if not sentences[-1]:
        sentences.pop()
    if not sentences:
        raise FileError(f"{name}: holds no token; write a token and its tag a line, an empty line after each sentence")
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


def read_conll(file: str | os.PathLike[str], *, tag: int | str | None = None, predicted: int | str | None = None) -> Conll:
    """Sentences in columns of CoNLL, as the program reads them: a token a line, an empty line after each sentence.

    Columns are parted by blanks or tabs. Lines that begin with -DOCSTART- and comments of CoNLL-U (# and a blank) are no tokens.

    Parameters
    ----------
    file : path
    tag : int, optional
        The column of the tags, from 1, or from the last one -1. Without: the last one, or the one before where that is `predicted`.
    predicted : int, optional
        The column of predictions, likewise. Without: there are none.

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
    name, sentences = _sentences(file)
    n = len(sentences[0][0])
    path = None if predicted is None else _column(predicted, n, f"{name}: predicted")
    if tag is None and path == n - 1 == 0:
        raise StatepathError(f"{name}: has one column, which is predicted=: there is none for the tags")
    label = n - 1 - (path == n - 1) if tag is None else _column(tag, n, f"{name}: tag")
    token = next((k for k in range(n) if k not in (label, path)), None)

    def column(k: int, unscored: tuple[str, ...] = ()) -> list[list[str]]:
        return [["" if cells[k] in unscored else cells[k] for cells in sentence] for sentence in sentences]

    return Conll(None if token is None else column(token), column(label, _UNSCORED), None if path is None else column(path, _UNSCORED))


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
