"""Estimators for scikit-learn: one sample is one sequence, so cross-validation and searches take sequences apart, never steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GroupKFold, KFold, check_cv
from sklearn.utils.validation import check_is_fitted

from ._decode import decode
from ._errors import StatepathError
from ._evaluate import fit as _fit
from ._labels import Meaning, is_none, names_of_labels
from ._model import Model
from ._passes import marginals
from ._request import Classes, class_names, model_of
from ._scores import array_of, check_index, columns_of, index_of, integers_of, order_of_columns

__all__ = ["SequenceDecoder", "Stack", "cross_val_predict", "flatten"]


def _sequences(X: Any) -> list[Any]:
    """Recordings [T,K] of a list, an array of objects, or [N,T,K]."""
    if isinstance(X, np.ndarray) and X.dtype != object and X.ndim != 3:
        raise StatepathError(f"X has shape {X.shape}: a list of [T,K], or [N,T,K]; one sample is one sequence")
    return list(X)


def _first_columns(sequences: Sequence[Any]) -> list[str] | None:
    """The names of the first sequence's columns, which are those of all."""
    return columns_of(sequences[0]) if len(sequences) else None


def _in_columns(sequences: Sequence[Any], columns: Sequence[str] | None, first: str = "X[0]") -> list[NDArray[Any]]:
    """Sequences as arrays with the columns of the first one, where they are frames."""
    arrays = []
    for n, x in enumerate(sequences):
        order = order_of_columns(x, columns, f"X[{n}]", first, n)
        a = array_of(x, f"X[{n}]")
        arrays.append(a if order is None else a[:, order])
    return arrays


def _check_indexes(sequences: Sequence[Any], y: Any) -> None:
    """Are the steps of labels in the order of those of X, where both have an index?"""
    for n, (x, t) in enumerate(zip(sequences, y, strict=True)):
        check_index(index_of(x), index_of(t), f"y[{n}]", f"X[{n}]")


def flatten(X: Any, lengths: Any = None) -> NDArray[Any]:
    """The steps of all sequences one after the other, for estimators whose sample is a step; scores, features, labels or paths.

    Parameters
    ----------
    X : array or list of arrays
        Padded [N,T,...], of which the first `lengths` [N] steps count; or a list of [T,...].
    lengths : sequence of int, optional
        Steps of each sequence. Without: all of them.

    Returns
    -------
    array [S,...]

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.sklearn import flatten
    >>> flatten(np.array([[1, 2, 3], [4, 5, 6]]), [2, 3]), flatten([[1, 2], [4, 5, 6]])
    (array([1, 2, 4, 5, 6]), array([1, 2, 4, 5, 6]))
    """
    listed = list(X) if isinstance(X, Iterable) and not isinstance(X, (str, bytes)) and columns_of(X) is None else []
    sequences = _in_columns(listed, _first_columns(listed))
    if not sequences or any(x.ndim < 1 for x in sequences):
        raise StatepathError("X must be sequences: an array [N,T,...], or a list of [T,...]")
    if len({x.shape[1:] for x in sequences}) > 1:
        raise StatepathError(f"X has sequences of different shapes: {sorted({x.shape[1:] for x in sequences})} after the steps")
    if lengths is None:
        return np.concatenate(sequences)
    n = integers_of(lengths, "lengths")
    if n.shape != (len(sequences),):
        raise StatepathError(f"lengths= has shape {n.shape}: {len(sequences)} sequences ask for ({len(sequences)},)")
    wrong = next((i for i, (x, t) in enumerate(zip(sequences, n.tolist(), strict=True)) if not 0 <= t <= len(x)), None)
    if wrong is not None:
        raise StatepathError(f"lengths[{wrong}] is {n[wrong]}, and X[{wrong}] has {len(sequences[wrong])} steps", recording=wrong)
    return np.concatenate([x[:t] for x, t in zip(sequences, n.tolist(), strict=True)])


def _arrays(y: Any, rules: Model | None) -> list[NDArray[Any]]:
    """The labels of each sequence as they came."""
    meaning = Meaning(()) if rules is None else Meaning(rules.classes, rules)
    return [array_of(meaning.arrays(t, f"y[{n}]"), f"y[{n}]") for n, t in enumerate(y)]


def _labels(y: Any, rules: Model | None) -> list[NDArray[Any]]:
    """The same; words are those of the rules, with None where there is none."""
    meaning = Meaning(()) if rules is None else Meaning(rules.classes, rules)
    names = np.array([*meaning.columns, None], object)

    def plain(t: NDArray[Any], name: str) -> NDArray[Any]:
        if t.dtype.kind not in "OUST":
            return t
        return np.array([None if is_none(v) else str(v) for v in t.tolist()], object) if rules is None else names[meaning.numbers(t, name)]

    return [plain(t, f"y[{n}]") for n, t in enumerate(_arrays(y, rules))]


def _rules_of(rules: Model | str | None) -> Model | None:
    return None if rules is None else model_of(rules)


def _check_order(rules: Model, labels: list[NDArray[Any]], y: Any, sequences: list[Any]) -> None:
    """Are the columns of arrays, which have no names, in one order, by the rules and by the sorted words of a classifier?"""
    meant: dict[str, str] = {}  # by the rules, of each word as it came
    for words, found in zip(_arrays(y, rules), labels, strict=True):
        meant |= {str(a): b for a, b in zip(words.tolist(), found.tolist(), strict=True) if b is not None}
    names = [*dict.fromkeys(meant[word] for word in sorted(meant))]
    ranks = [rules.classes.index(name) for name in names]
    if ranks == sorted(ranks):
        return
    agree = ""
    if len(names) == rules.n_classes:
        truth = np.concatenate(labels)
        known = _known(truth)
        best = np.concatenate([array_of(x, "X").argmax(axis=1) for x in sequences])[known]
        by_rules, by_words = (np.mean(np.array(order, object)[best] == truth[known]) for order in (rules.classes, names))
        agree = (
            f": in the order of the rules the best classes of X agree with y in {by_rules:.2f} of the steps, in the sorted "
            f"order in {by_words:.2f}"
        )
    raise StatepathError(
        f"the columns of X have no names, and the rules ({rules.classes[0]} first) are in another order than the sorted "
        f"labels ({names[0]} first), in which a classifier has them{agree}; classes= names the columns, such as "
        "classes=classifier.classes_ or classes=rules.classes"
    )


def _known(labels: NDArray[Any]) -> NDArray[np.bool_]:
    return labels >= 0 if labels.dtype.kind in "iuf" else np.array([v is not None for v in labels.tolist()], bool)


class SequenceDecoder(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns how classes follow each other, and decodes scores by it.

    Parameters
    ----------
    rules : Model or str, optional
        What is forbidden stays forbidden.
    classes : sequence of str, mapping or path, optional
        The names of the columns of X, such as a classifier's ``classes_``. Without: those of X, where it is frames; those of the rules, where
        the labels are numbers, or words whose sorted order is that of the rules; without rules the labels, sorted, as ``predict_proba`` has them.
    method, tune, smoothing, penalty, memory, inner_folds
        As in :func:`statepath.fit`; method "rules" learns nothing and decodes by `rules` as they are.
    strategy, kind, epoch_seconds, threads
        As in :func:`statepath.decode`.

    Attributes
    ----------
    model_ : Model
    classes_ : array
        The label of each column of X: what `predict` says.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.sklearn import SequenceDecoder
    >>> rng = np.random.default_rng(1)
    >>> y = [np.repeat(rng.integers(0, 3, 9), 5) for _ in range(8)]
    >>> X = [rng.dirichlet(np.ones(3), len(t)) * 0.5 + 0.5 * np.eye(3)[t] for t in y]
    >>> decoder = SequenceDecoder(method="counts", kind="probs").fit(X, y)
    >>> decoder.score(X, y) > 0.9, decoder.predict_proba(X)[0].shape
    (True, (45, 3))
    >>> decoder.model_.classes, decoder.classes_.tolist(), decoder.n_features_in_, decoder.predict(X)[0].shape
    (('0', '1', '2'), [0, 1, 2], 3, (45,))
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> search = GridSearchCV(decoder, {"smoothing": [0.1, 1.0]}, cv=GroupKFold(2)).fit(X, y, groups=[0, 0, 1, 1, 2, 2, 3, 3])
    >>> sorted(search.best_params_)
    ['smoothing']
    """

    def __init__(
        self,
        rules: Model | str | None = None,
        *,
        classes: Classes | None = None,
        method: str = "counts",
        strategy: str = "viterbi",
        kind: str | None = None,
        tune: str | None = None,
        smoothing: float = 0.5,
        penalty: float = 0.0,
        memory: int = 1,
        inner_folds: int = 3,
        epoch_seconds: float | None = None,
        threads: int = 0,
    ) -> None:
        self.rules = rules
        self.classes = classes
        self.method = method
        self.strategy = strategy
        self.kind = kind
        self.tune = tune
        self.smoothing = smoothing
        self.penalty = penalty
        self.memory = memory
        self.inner_folds = inner_folds
        self.epoch_seconds = epoch_seconds
        self.threads = threads

    def _name_columns(self, sequences: list[Any], labels: list[NDArray[Any]], y: Any, rules: Model | None) -> None:
        """Sets `_columns`, names of the model's classes in the order of X's columns, and `classes_`."""
        K = self.n_features_in_
        named = _first_columns(sequences)
        if self.classes is not None:
            given = class_names(self.classes)
            if named is not None and sorted(named) != sorted(given):
                raise StatepathError(f"classes= are {', '.join(given[:10])}, and the columns of X are {', '.join(named[:10])}")
            named = named or given
        if labels[0].dtype.kind in "OUS":
            if named is None and rules is not None:
                _check_order(rules, labels, y, sequences)
            names = tuple(named or (names_of_labels(labels) if rules is None else rules.classes))
            self.classes_ = np.array(names)
        else:
            values = np.unique(np.concatenate([t[_known(t)] for t in labels]))
            in_order = rules is not None or len(values) == 0 or values[-1] < K
            self.classes_ = np.arange(K) if in_order or len(values) != K else values
            names = tuple(named or (rules.classes if rules is not None else map(str, self.classes_.tolist())))
        if len(names) != K:
            raise StatepathError(
                f"X has {K} columns, and there are {len(names)} classes: {', '.join(names[:10])}; classes= names the columns of X"
            )
        if rules is not None:
            order = rules._column_classes(names)
            if order is not None:
                names = tuple(rules.classes[k] for k in order)
                if self.classes_.dtype.kind in "US":
                    self.classes_ = np.array(names)
                elif names != rules.classes:
                    raise StatepathError(
                        f"y are numbers, and the columns of X ({names[0]} first) are in another order than the rules "
                        f"({rules.classes[0]} first): give y as names"
                    )
        self._columns = names

    def _numbers(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Labels that are numbers as columns."""
        if labels.dtype.kind in "OUS" or np.array_equal(self.classes_, np.arange(len(self.classes_))):
            return labels
        known = _known(labels)
        return np.where(known, np.searchsorted(self.classes_, np.where(known, labels, self.classes_[0])), -1)

    def _given(self, X: Any) -> list[NDArray[Any]]:
        """Sequences as arrays in the order of the columns that `fit` saw."""
        check_is_fitted(self, "model_")
        return _in_columns(_sequences(X), self._named, "what fit() saw")

    def _reading(self) -> Any:
        """How scores are read, for decode() and marginals()."""
        return {"kind": self.kind, "epoch_seconds": self.epoch_seconds, "threads": self.threads, "classes": self._columns}

    def fit(self, X: Any, y: Any, groups: Any = None) -> SequenceDecoder:
        """Learns from scores X (a list of [T,K]) and labels y (a list of [T]): class names, or numbers, which are columns from 0."""
        sequences = _sequences(X)
        rules = _rules_of(self.rules)
        labels = _labels(y, rules)
        if not sequences or len(labels) != len(sequences):
            raise StatepathError(f"X has {len(sequences)} sequences, y has {len(labels)}")
        _check_indexes(sequences, y)
        self.n_features_in_ = int(np.shape(sequences[0])[1])
        self._name_columns(sequences, labels, y, rules)
        self._named = _first_columns(sequences) or list(self._columns)
        if self.method == "rules":
            if rules is None:
                raise StatepathError('method="rules" needs rules=')
            self.model_ = rules
            return self
        n = len(set(groups)) if groups is not None else len(sequences)
        tune: Any = self.tune if n >= 2 else "none"
        method: Any = self.method
        kind: Any = self.kind
        self.model_ = _fit(
            [self._numbers(t) for t in labels],
            _in_columns(sequences, self._named),
            rules=rules,
            classes=self._columns,
            method=method,
            tune=tune,
            strategy="viterbi" if tune == "none" else self.strategy,  # what is tuned for
            smoothing=self.smoothing,
            penalty=self.penalty,
            memory=self.memory,
            folds=5 if tune == "none" else min(self.inner_folds, max(n, 2)),  # without tuning there are none
            groups=None if tune == "none" else groups,
            kind=kind,
            epoch_seconds=self.epoch_seconds,
            threads=self.threads,
            label_order="columns",  # of the names that are given above
        )
        return self

    def predict(self, X: Any) -> list[NDArray[Any]]:
        """The path of each sequence, in the words of `y`."""
        paths = decode(self._given(X), self.model_, self.strategy, **self._reading())
        return [self.classes_[path] for path in paths]

    def predict_proba(self, X: Any) -> list[NDArray[np.float64]]:
        """p(class at a step | all steps, the model) of each sequence; of other folds by :func:`cross_val_predict`, not scikit-learn's."""
        out: list[NDArray[np.float64]] = marginals(self._given(X), self.model_, **self._reading())
        return out

    def _words(self) -> Model:
        """Whose words the labels are."""
        return self.model_ if self.rules is None else model_of(self.rules)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy over all labelled steps; `sample_weight` is one number a sequence."""
        _check_indexes(list(X), y)
        right = total = 0.0
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, np.float64)
        for path, labels, w in zip(self.predict(X), y, weights, strict=True):
            t = _labels([labels], self._words())[0]
            known = _known(t)
            right += w * float(np.sum(path[known] == t[known]))
            total += w * float(np.sum(known))
        return float(right / total) if total else 0.0


class Stack(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of single steps, then a decoder that learns from probabilities which the classifier gave without having seen the step.

    Parameters
    ----------
    estimator : classifier with predict_proba
        Of one row a step.
    decoder : SequenceDecoder, optional
        Its `kind` and `classes` are those of the probabilities, whatever they were set to.
    cv : int
        Folds over sequences (or groups) that the probabilities for the decoder come from.

    Attributes
    ----------
    estimator_ : classifier, fitted on everything
    decoder_ : SequenceDecoder
    out_of_fold_ : list of array [T,K]
        What the decoder learnt from.
    classes_ : array

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from statepath.sklearn import Stack
    >>> rng = np.random.default_rng(1)
    >>> y = [np.repeat(rng.integers(0, 3, 9), 5) for _ in range(8)]
    >>> X = [rng.normal(np.eye(3)[t], 0.7) for t in y]
    >>> stack = Stack(LogisticRegression(), cv=4).fit(X, y)
    >>> steps = stack.estimator_.score(np.concatenate(X), np.concatenate(y))
    >>> bool(stack.score(X, y) > steps)
    True
    >>> stack.predict(X)[0].shape, stack.predict_proba(X)[0].shape, stack.out_of_fold_[0].shape, stack.classes_.tolist()
    ((45,), (45, 3), (45, 3), [0, 1, 2])
    >>> stack.decoder_.kind
    'probs'
    """

    def __init__(self, estimator: Any, decoder: SequenceDecoder | None = None, *, cv: int = 5) -> None:
        self.estimator = estimator
        self.decoder = decoder
        self.cv = cv

    def _rows(self, sequences: Sequence[NDArray[Any]], labels: Sequence[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        x, t = np.concatenate(sequences), np.concatenate(labels)
        known = _known(t)
        return x[known], t[known]

    def _probabilities(self, estimator: Any, sequence: Any) -> NDArray[np.float64]:
        """Columns as in classes_; 0 for classes that the estimator never saw."""
        p = np.zeros((len(sequence), len(self.classes_)))
        if len(sequence):
            p[:, np.searchsorted(self.classes_, estimator.classes_)] = estimator.predict_proba(sequence)
        return p

    def fit(self, X: Any, y: Any, groups: Any = None) -> Stack:
        """Fits both; groups are never parted between folds."""
        given, labels = list(X), _labels(y, None if self.decoder is None else _rules_of(self.decoder.rules))
        _check_indexes(given, y)
        self._named = _first_columns(given)
        sequences = _in_columns(given, self._named)
        rows, targets = self._rows(sequences, labels)
        self.classes_ = np.unique(targets)
        self.n_features_in_ = int(rows.shape[1])
        n = len(set(groups)) if groups is not None else len(sequences)
        if n < 2:
            raise StatepathError("two sequences (or groups) at least are needed: the decoder learns from probabilities of steps that the classifier has not seen")
        folds = GroupKFold(min(self.cv, n)) if groups is not None else KFold(min(self.cv, n))
        self.out_of_fold_: list[Any] = [None] * len(sequences)
        for train, test in folds.split(np.zeros(len(sequences)), groups=groups):
            fitted = clone(self.estimator).fit(*self._rows([sequences[i] for i in train], [labels[i] for i in train]))
            for i in test:
                self.out_of_fold_[i] = self._probabilities(fitted, sequences[i])
        self.estimator_ = clone(self.estimator).fit(rows, targets)
        self.decoder_ = clone(self.decoder) if self.decoder is not None else SequenceDecoder()
        rules = self.decoder_.rules
        self.decoder_.set_params(kind="probs", classes=None if rules is None else model_of(rules).classes)
        if rules is None and labels[0].dtype.kind in "iuf":
            columns = [np.where(t >= 0, np.searchsorted(self.classes_, t), -1) for t in labels]
            self.decoder_.fit(self.out_of_fold_, columns, groups)
        else:
            self.decoder_.fit([self._ordered(p) for p in self.out_of_fold_], labels, groups)
        return self

    def _ordered(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Columns in the order of the rules' classes."""
        rules = _rules_of(self.decoder_.rules)
        if rules is None:
            return p
        out = np.zeros((len(p), rules.n_classes))
        out[:, [rules.classes.index(str(c)) if isinstance(c, str) else int(c) for c in self.classes_.tolist()]] = p
        return out

    def _scores(self, X: Any) -> list[NDArray[np.float64]]:
        check_is_fitted(self, "decoder_")
        return [self._ordered(self._probabilities(self.estimator_, s)) for s in _in_columns(list(X), self._named, "what fit() saw")]

    def predict(self, X: Any) -> list[NDArray[Any]]:
        """The path of each sequence."""
        paths = self.decoder_.predict(self._scores(X))
        if self.decoder_.rules is None and self.classes_.dtype.kind in "iuf":
            return [self.classes_[path] for path in paths]
        return paths

    def predict_proba(self, X: Any) -> list[NDArray[np.float64]]:
        """p(class at a step | all steps) of each sequence."""
        return self.decoder_.predict_proba(self._scores(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy over all labelled steps."""
        return SequenceDecoder.score(self, X, y, sample_weight)

    def _words(self) -> Model:
        return self.decoder_._words()


def cross_val_predict(estimator: Any, X: Any, y: Any, *, groups: Any = None, cv: Any = None, method: str = "predict") -> list[Any]:
    """What an estimator of sequences says of each of them, fitted on the sequences of the other folds.

    ``sklearn.model_selection.cross_val_predict`` puts predictions into one array and encodes `y` for probabilities, so that sequences of
    different lengths, and probabilities of any, end there in an error.

    Parameters
    ----------
    estimator : SequenceDecoder, Stack, or a pipeline of one
    X, y : list
        As `fit` takes them.
    groups : sequence, optional
        Sequences of one group are never parted.
    cv : int, splitter or iterable, optional
        As scikit-learn's; without 5 folds, by `groups` where they are given.
    method : str
        "predict" or "predict_proba".

    Returns
    -------
    list
        One prediction a sequence, in the order of X.

    Examples
    --------
    >>> import numpy as np
    >>> from statepath.sklearn import SequenceDecoder, cross_val_predict
    >>> rng = np.random.default_rng(1)
    >>> y = [np.repeat(rng.integers(0, 3, 9), n) for n in (4, 5, 6, 5, 4)]
    >>> X = [rng.dirichlet(np.ones(3), len(t)) for t in y]
    >>> [p.shape for p in cross_val_predict(SequenceDecoder(kind="probs"), X, y, cv=2, method="predict_proba")]
    [(36, 3), (45, 3), (54, 3), (45, 3), (36, 3)]
    """
    sequences, labels = list(X), list(y)
    if len(sequences) != len(labels):
        raise StatepathError(f"X has {len(sequences)} sequences, y has {len(labels)}")
    folds = GroupKFold() if cv is None and groups is not None else check_cv(cv)
    found: dict[int, Any] = {}
    for train, test in folds.split(np.zeros(len(sequences)), groups=groups):
        options = {} if groups is None else {"groups": [groups[i] for i in train]}
        fitted = clone(estimator).fit([sequences[i] for i in train], [labels[i] for i in train], **options)
        found |= dict(zip(test.tolist(), getattr(fitted, method)([sequences[i] for i in test]), strict=True))
    if len(found) != len(sequences):
        raise StatepathError(f"cv= leaves {len(sequences) - len(found)} of {len(sequences)} sequences out of every test fold")
    return [found[i] for i in range(len(sequences))]
