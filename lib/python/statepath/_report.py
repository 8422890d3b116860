"""Report: the result of compare() and evaluate()."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
from typing import TYPE_CHECKING, Any

from ._errors import StatepathError
from ._files import write_whole
from ._scores import file_name

if TYPE_CHECKING:
    from ._evaluation import Comparison, _Figures

try:
    import statepath._evaluation as _evaluation
except ModuleNotFoundError:  # built without GSL
    _evaluation = None  # type: ignore[assignment]

_FORMS = {".html": "html", ".json": "json", ".csv": "csv", ".md": "md", ".tex": "tex"}
_FIGURE = re.compile(r'[A-Za-z_][\w:\-]*(?:\.(?:"[^"]*"|[\w:\-]+))+')


def needs_library() -> Any:
    """The extension that compares, or the sentence that it is not there."""
    if _evaluation is None:
        raise StatepathError("this statepath was built without GSL: evaluation, reports and learning are left out; install GSL, then the package again")
    return _evaluation


class _Kept:
    """What a report says, without the library's comparison: what is pickled of it, and takes its place."""

    forms = ("json", "csv", "md", "tex", "html", "txt")

    def __init__(self, texts: dict[str, str], figures: _Figures) -> None:
        self._texts, self._figures = texts, figures

    def text(self, form: str) -> str:
        return self._texts[form]

    def figures(self) -> _Figures:
        return self._figures

    def save(self, form: str, file: str, force: bool) -> None:
        def write(name: str) -> None:
            with open(name, "w", encoding="utf-8", newline="") as stream:
                stream.write(self._texts[form])

        write_whole(file, write, force)


class Report:
    """What decoding gains and costs: agreement, illegal transitions, intervals and tests; the result of :func:`compare`, :func:`evaluate`.

    Examples
    --------
    >>> import numpy as np, statepath as sp
    >>> rng = np.random.default_rng(1)
    >>> labels = np.repeat([0, 1, 2, 3, 2, 4, 0], 40)
    >>> probs = rng.gamma(0.5 + np.eye(5)[labels])
    >>> probs /= probs.sum(axis=1, keepdims=True)
    >>> report = sp.compare([probs, probs[:200]], [labels, labels[:200]], "sleep-aasm")
    >>> report
    Report: 2 recordings, 480 steps; argmax, greedy, viterbi
    >>> report.strategies
    ['argmax', 'greedy', 'viterbi']
    >>> report.data["strategies"]["viterbi"]["illegal"], report.data["input"]["recordings"]
    (0, 2)
    >>> report.check("viterbi.accuracy >= argmax.accuracy - 0.01; viterbi.illegal == 0")
    >>> report.confusion("viterbi").shape
    (5, 5)
    >>> frame = report.frame
    >>> list(frame.columns)
    ['strategy', 'recording', 'class', 'metric', 'value', 'n', 'low', 'high']
    >>> report.recordings.groupby("strategy", sort=False).illegal.sum().tolist()[1:]
    [0, 0]
    >>> sorted(set(report.pairs.metric))[:3]
    ['accuracy', 'kappa', 'macro_f1']
    >>> page = report.show()  # at the end of a cell of a notebook: the whole page
    """

    _comparison: Comparison | _Kept
    _data: dict[str, Any] | None
    _rows: list[dict[str, Any]] | None

    @classmethod
    def _made(cls, comparison: Comparison | _Kept) -> Report:
        self = cls.__new__(cls)
        self._comparison, self._data, self._rows = comparison, None, None
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        kept = self._comparison
        return Report._made, (kept if isinstance(kept, _Kept) else _Kept({form: kept.text(form) for form in _Kept.forms}, kept.figures()),)

    # -- numbers --

    @property
    def data(self) -> dict[str, Any]:
        """The program's JSON, key for key (``statepath help figures`` lists them)."""
        if self._data is None:
            self._data = json.loads(self.to_json())
        assert self._data is not None
        return self._data

    def to_json(self) -> str:
        """The text of the program's JSON.

        Examples
        --------
        >>> import statepath as sp
        >>> sp.evaluate([0, 1, 1], [0, 1, 0], sp.Model(["a", "b"])).to_json().split()[1]
        '"statepath":'
        """
        return self._comparison.text("json")

    @property
    def strategies(self) -> list[str]:
        """Names of what is compared."""
        return list(self.data["strategies"])

    def table(self) -> list[dict[str, Any]]:
        """All figures, one a row: strategy, recording, class, metric, value, n, low, high; None where there is none.

        Examples
        --------
        >>> import statepath as sp
        >>> report = sp.evaluate([0, 1, 1, 1], [0, 1, 1, 0], sp.Model(["a", "b"]))
        >>> [row["value"] for row in report.table() if row["metric"] == "accuracy" and not row["recording"]]
        [0.75]
        """
        if self._rows is None:
            rows = csv.DictReader(io.StringIO(self._comparison.text("csv"), newline=""))
            self._rows = [{k: _number(v) if k in ("value", "n", "low", "high") else v or None for k, v in row.items()} for row in rows]
        return [dict(row) for row in self._rows]

    @property
    def frame(self) -> Any:
        """:meth:`table` as a pandas data frame; the list where pandas is not installed."""
        return _frame(self.table())

    @property
    def recordings(self) -> Any:
        """One row a recording and strategy, as a pandas data frame; a list of dictionaries where pandas is not installed."""
        return _frame([{"strategy": name, **row} for name, s in self.data["strategies"].items() for row in s["per_recording"]])

    @property
    def pairs(self) -> Any:
        """One row a pair of strategies and metric: a, b, metric, difference, low, high, p and what else the JSON says of it."""
        rows = []
        for pair in self.data.get("comparisons", []):
            low, high = pair.get("ci") or (None, None)
            rows.append({**{k: v for k, v in pair.items() if k != "ci"}, "low": low, "high": high})
        return _frame(rows)

    def _strategy(self, name: str) -> dict[str, Any]:
        found = self.data["strategies"].get(name) if isinstance(name, str) else None
        if found is None:
            raise StatepathError(f'there is no strategy "{name}" in this report; it has {", ".join(self.strategies)}')
        result: dict[str, Any] = found
        return result

    def confusion(self, strategy: str) -> Any:
        """Counts, rows = reference, columns = decoded: a pandas data frame, or a list of rows where pandas is not installed."""
        matrix = self._strategy(strategy).get("confusion")
        if matrix is None:
            raise StatepathError("there are no labels, so there is no confusion matrix")
        pandas = _pandas()
        if pandas is None:
            return [list(row) for row in matrix]
        names = self.data["input"]["classes"]
        return pandas.DataFrame(matrix, index=pandas.Index(names, name="reference"), columns=pandas.Index(names, name="decoded"))

    def illegal(self, strategy: str | None = None) -> Any:
        """Forbidden pairs and how often they occur along the paths of a strategy; without name in the reference: from, to, count."""
        found = self.data["reference"] if strategy is None else self._strategy(strategy)
        return _frame([dict(pair) for pair in found.get("illegal_pairs", [])], ["from", "to", "count"])

    # -- checks --

    def check(self, condition: str) -> None:
        """Raises an AssertionError unless each condition is true; several are separated by ";". One that is undefined is not true.

        Figures are named as for ``statepath compare --fail-if``: ``viterbi.accuracy``, ``reference.illegal``,
        ``viterbi.classes.N1.f1``.

        Examples
        --------
        >>> import statepath as sp
        >>> report = sp.evaluate([0, 1, 1], [0, 1, 0], sp.Model(["a", "b"]))
        >>> report.check("path.accuracy > 0.6")
        >>> report.check("path.accuracy > 0.9")
        Traceback (most recent call last):
        ...
        AssertionError: path.accuracy > 0.9 (path.accuracy is 0.6666666666666666)
        """
        if not isinstance(condition, str) or "\0" in condition:
            raise StatepathError(f"condition={condition!r}: a text is needed, such as 'viterbi.accuracy >= argmax.accuracy - 0.01'")
        texts = [text.strip() for text in condition.split(";") if text.strip()]
        verdicts = needs_library().judge(condition, *self._comparison.figures())
        for (is_true, is_undefined, sentence), text in zip(verdicts, texts, strict=False):
            if not is_true:
                raise AssertionError(sentence if is_undefined and sentence else f"{text}{self._values(text)}")

    def _values(self, condition: str) -> str:
        found = []
        for name in dict.fromkeys(_FIGURE.findall(condition)):
            value = self._look_up(name)
            if value is not None:
                found.append(f"{name} is {value}")
        return f" ({', '.join(found)})" if found else ""

    def _look_up(self, name: str) -> Any:
        parts = [p.strip('"') for p in re.findall(r'"[^"]*"|[^.]+', name)]
        at: Any = self.data["strategies"].get(parts[0], self.data.get(parts[0]))
        for key in parts[1:]:
            at = at.get(key) if isinstance(at, dict) else None
        return at if isinstance(at, (int, float)) else None

    # -- files and pages --

    def save(self, file: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes ``.html`` (a page of its own), ``.json``, ``.csv``, ``.md`` or ``.tex``; an existing file is replaced only with `force`.

        Examples
        --------
        >>> import statepath as sp, tempfile, os
        >>> report = sp.evaluate([0, 1, 1], [0, 1, 0], sp.Model(["a", "b"]))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for ending in ("html", "json", "csv", "md", "tex"):
        ...         report.save(os.path.join(folder, f"report.{ending}"))
        ...     sorted(os.listdir(folder))
        ['report.csv', 'report.html', 'report.json', 'report.md', 'report.tex']
        """
        target = os.fsdecode(file_name(file))
        form = _FORMS.get(os.path.splitext(target)[1].lower())
        if form is None:
            raise StatepathError(f"{target}: reports end in {', '.join(_FORMS)}")
        self._comparison.save(form, target, bool(force))

    def show(self) -> Any:
        """The whole page, for a notebook, in a frame of its own that can do nothing to the notebook."""
        return _Page(self._comparison.text("html"))

    def __str__(self) -> str:
        return self._comparison.text("txt")

    def __repr__(self) -> str:
        i = self.data["input"]
        n, steps = i["recordings"], i["steps"]
        return f"Report: {n:,} recording{'' if n == 1 else 's'}, {steps:,} step{'' if steps == 1 else 's'}; {', '.join(self.strategies)}"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>" + _summary(self.data)


class _Page:
    def __init__(self, page: str) -> None:
        self.page = page

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="allow-scripts" style="width:100%;height:80vh;border:0" title="statepath report" srcdoc="{html.escape(self.page)}"></iframe>'
        )


_SHOWN = (
    ("illegal", "illegal", "{:,}"),
    ("accuracy", "accuracy", "{:.4f}"),
    ("kappa", "kappa", "{:.4f}"),
    ("macro_f1", "macro F1", "{:.4f}"),
    ("changes", "changes", "{:,}"),
)


def _summary(data: dict[str, Any]) -> str:
    strategies = data["strategies"]
    shown = [s for s in _SHOWN if any(s[0] in row for row in strategies.values())]
    head = "".join(f"<th>{label}</th>" for _, label, _ in shown)
    body = ""
    for name, row in strategies.items():
        cells = "".join(f"<td>{'–' if row.get(key) is None else how.format(row[key])}</td>" for key, _, how in shown)
        body += f"<tr><th>{html.escape(name)}</th>{cells}</tr>"
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"


def _number(text: str | None) -> float | int | None:
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        return None
    return pandas


def _frame(rows: list[dict[str, Any]], columns: list[str] | None = None) -> Any:
    pandas = _pandas()
    return rows if pandas is None else pandas.DataFrame(rows, columns=columns if not rows else None)
